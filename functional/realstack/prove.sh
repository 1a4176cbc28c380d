#!/usr/bin/env bash
# Runs tests of one package that must not be skipped: those that are named must pass, and what begins with one of these names too.
#   prove.sh PACKAGE TEST...
set -euo pipefail

package=$1
shift
out=$(mktemp)
trap 'rm -f "$out"' EXIT
pattern=$(printf '|%s' "$@")
NOVACYBORG_PEERS=required go test -count=1 -v -run "^(${pattern#|})" "$package" | tee "$out"
if grep --extended-regexp '^ *--- SKIP' "$out"; then
  echo "$package: tests were skipped" >&2
  exit 1
fi
for test; do
  if ! grep --quiet --fixed-strings -- "--- PASS: $test (" "$out"; then
    echo "$package: $test has not passed" >&2
    exit 1
  fi
done
