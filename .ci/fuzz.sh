#!/usr/bin/env bash
# Every fuzz target for a bounded number of inputs; FUZZ_INPUTS says how many.
set -euo pipefail

listing=$(go test -list '^Fuzz' ./...)
mapfile -t targets < <(awk '/^Fuzz/ { names[++n] = $1 } /^ok/ { for (i = 1; i <= n; i++) print $2, names[i]; n = 0 }' <<<"$listing")
if [ ${#targets[@]} -eq 0 ]; then
  echo "found no fuzz target" >&2
  exit 1
fi
for target in "${targets[@]}"; do
  read -r package name <<<"$target"
  echo "$package $name"
  timeout 180 go test -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZ_INPUTS:-2000}x" -fuzzminimizetime 2s "$package"
done
echo "${#targets[@]} fuzz targets"
