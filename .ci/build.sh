#!/usr/bin/env bash
# The module file is tidy, everything compiles, tests included, and go vet is content.
set -euo pipefail

go mod tidy -diff
go mod verify
go build ./...
go vet ./...
