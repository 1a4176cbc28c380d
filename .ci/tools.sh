#!/usr/bin/env bash
# Builds the pinned tools of tools.mod. Go keeps them in its build cache, so this is quick the second time.
set -euo pipefail

go version
go tool -modfile=tools.mod golangci-lint version
go tool -modfile=tools.mod gotestsum --version
