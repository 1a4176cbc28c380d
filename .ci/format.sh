#!/usr/bin/env bash
# gofumpt and the order of imports; mend with: make format
set -euo pipefail

go tool -modfile=tools.mod golangci-lint fmt --diff
