#!/usr/bin/env bash
# What a release needs, without making one: the version of CHANGELOG.md, what it says of the API since the last tag, the licences
# of dependencies, and the programs of .goreleaser.yaml, built for every platform with their checksums. That file is read by
# GoReleaser's own code; the whole of GoReleaser would take longer to compile than everything here.
set -euo pipefail

root=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

echo "== tools"
(cd .ci/release && go mod verify && go vet ./... && go test ./...)
go build -C .ci/release -o "$dir/" ./targets golang.org/x/exp/cmd/apidiff

echo "== licences"
bash .ci/licences.sh -check docs/licences.md

echo "== version"
version=$(sed -n 's/^## \(v[0-9]*\.[0-9]*\.[0-9]*\).*$/\1/p' CHANGELOG.md | head -n 1)
[ -n "$version" ] || fail "CHANGELOG.md names no version in a heading like '## v0.1.0'"
# A shallow clone knows no tags; then, and before the first one, there is nothing to compare with.
tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true)
if [ -z "$tag" ]; then
  [ "$version" = v0.1.0 ] || fail "there is no tag v… to be reached, so CHANGELOG.md must begin with v0.1.0, not $version"
fi
echo "CHANGELOG.md: $version; last tag: ${tag:-none}"

# copy FOLDER: the files of this checkout, without those that are ignored and test data.
copy() {
  mkdir "$1"
  git ls-files -z --cached --others --exclude-standard -- ':!*/testdata/*' |
    while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
    tar --create --null --files-from=- | tar --extract --directory "$1"
}

# api FOLDER FILE: writes what the module in the folder exports. Without paths in them, packages that are alike are compiled once.
api() { (cd "$1" && GOFLAGS=-trimpath "$dir/apidiff" -m -w "$2" "$(go list -m)"); }

# broken OLD NEW: what of the old API the new one breaks.
broken() { "$dir/apidiff" -m -incompatible "$1" "$2"; }

echo "== API"
api "$root" "$dir/now.api"
copy "$dir/longer"
printf 'package placement\n\n// Gone is here only.\nfunc Gone() {}\n' >"$dir/longer/placement/gone.go"
api "$dir/longer" "$dir/longer.api"
broken "$dir/longer.api" "$dir/now.api" >"$dir/found"
if [ "$(grep -c . "$dir/found")" -ne 1 ] || ! grep --quiet 'placement.*Gone: removed' "$dir/found"; then
  fail "a function was removed, and the comparison says: $(cat "$dir/found")"
fi
echo "ok: a function that is removed is found"
if [ -n "$tag" ]; then
  git archive --prefix=tagged/ "$tag" | tar --extract --directory "$dir"
  api "$dir/tagged" "$dir/tagged.api"
  broken "$dir/tagged.api" "$dir/now.api" >"$dir/found"
  if [ -s "$dir/found" ]; then
    cat "$dir/found"
    # Before v1 a minor version may break the API, and says so; a patch may not.
    [ "${version%.*}" != "${tag%.*}" ] || fail "the API of $tag is broken, so CHANGELOG.md must begin with a new minor version"
    grep --quiet '^### Breaking' CHANGELOG.md || fail "the API of $tag is broken, and CHANGELOG.md has no '### Breaking'"
  fi
  echo "ok: the API since $tag"
fi

echo "== programs"
mkdir "$dir/dist"
"$dir/targets" .goreleaser.yaml >"$dir/targets.txt"
while read -r binary system architecture main flags; do
  out=$dir/dist/${binary}_${system}_$architecture
  read -ra words <<<"$flags"
  CGO_ENABLED=0 GOOS=$system GOARCH=$architecture go build "${words[@]}" -o "$out" "$main"
done <"$dir/targets.txt"
(cd "$dir/dist" && sha256sum -- * | tee checksums.txt && sha256sum --check --quiet checksums.txt)
system=$(go env GOOS) architecture=$(go env GOARCH)
for binary in "$dir/dist/fakecyborg_${system}_$architecture" "$dir/dist/elasticpool_${system}_$architecture"; do
  if ldd "$binary" 2>/dev/null; then fail "$binary is not static"; fi
done
# From a checkout the version is the tag, or what comes before the next one; without git it is "(devel)".
"$dir/dist/fakecyborg_${system}_$architecture" -version | tee "$dir/said"
"$dir/dist/elasticpool_${system}_$architecture" version | tee --append "$dir/said"
[ "$(grep -cE '^(fakecyborg|elasticpool) (v[0-9]+\.[0-9]+\.[0-9]+|\(devel\))' "$dir/said")" -eq 2 ] || fail "a program does not say its version"
