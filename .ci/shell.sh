#!/usr/bin/env bash
# The shell scripts of the project.
set -euo pipefail

mapfile -t scripts < <(grep --recursive --files-with-matches --extended-regexp --exclude-dir=.git '^#!.*bash|shellcheck shell=' .)
if [ ${#scripts[@]} -lt 10 ]; then
  echo "found only ${#scripts[@]} scripts: ${scripts[*]}" >&2
  exit 1
fi
shellcheck --external-sources "${scripts[@]}"
echo "${#scripts[@]} scripts are fine"
