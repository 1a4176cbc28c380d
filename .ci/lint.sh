#!/usr/bin/env bash
# The linters of .golangci.yml, among them the import arrows; also in the examples that are modules of their own.
set -euo pipefail

linter=$(go tool -modfile=tools.mod -n golangci-lint)
config=$PWD/.golangci.yml
"$linter" run ./...
while read -r module; do
  echo "+ $module"
  (cd "$module" && "$linter" run --config "$config" ./...)
done < <(find examples -name go.mod -printf '%h\n' | sort)
