#!/usr/bin/env bash
# Every fuzz target for a bounded number of inputs; FUZZ_INPUTS says how many. A package is built once for all its targets.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/cache"
targets=0
while read -r folder; do
  package=./$folder
  go test -c -fuzz=. -o "$dir/fuzz.test" "$package"
  while read -r name; do
    echo "$package $name"
    (cd "$package" && timeout 180 "$dir/fuzz.test" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "${FUZZ_INPUTS:-2000}x" \
      -test.fuzzminimizetime 2s -test.fuzzcachedir "$dir/cache")
    targets=$((targets + 1))
  done < <(cd "$package" && "$dir/fuzz.test" -test.list '^Fuzz')
done < <(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u)
echo "$targets fuzz targets"
[ "$targets" -gt 0 ]
