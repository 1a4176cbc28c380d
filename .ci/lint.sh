#!/usr/bin/env bash
# The linters of .golangci.yml, among them the import arrows.
set -euo pipefail

go tool -modfile=tools.mod golangci-lint run ./...
