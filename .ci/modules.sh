#!/usr/bin/env bash
# Examples with dependencies of their own are modules of their own; they build, and their tests pass, against this checkout.
set -euo pipefail

while read -r module; do
  echo "+ $module"
  (cd "$module" && go vet ./... && go test ./...)
done < <(find examples -name go.mod -printf '%h\n' | sort)
