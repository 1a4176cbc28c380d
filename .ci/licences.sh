#!/usr/bin/env bash
# The licences of dependencies: licences.sh -write FILE, -check FILE or -copy FOLDER. See .ci/release/licences.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -C .ci/release -o "$dir/licences" ./licences
"$dir/licences" "$@"
