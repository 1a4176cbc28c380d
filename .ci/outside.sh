#!/usr/bin/env bash
# A module outside this one imports every public package, as those who go get it will.
set -euo pipefail

module=$(go list -m)
root=$PWD
mapfile -t packages < <(go list -f '{{if and .GoFiles (ne .Name "main")}}{{.ImportPath}}{{end}}' ./... | grep --invert-match /internal/)
if [ ${#packages[@]} -lt 5 ]; then
  echo "found only ${#packages[@]} public packages: ${packages[*]}" >&2
  exit 1
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
{
  printf 'package main\n\nimport (\n\t"fmt"\n\n'
  printf '\t_ "%s"\n' "${packages[@]}"
  printf ')\n\nfunc main() { fmt.Println("%d packages") }\n' ${#packages[@]}
} >main.go
go mod init example.org/outside
go mod edit -require "$module@v0.0.0" -replace "$module=$root"
go mod tidy
go build -o outside .
printf '%s\n' "${packages[@]}"
[ "$(./outside)" = "${#packages[@]} packages" ]
