#!/usr/bin/env bash
# Placement's own test suite, which is written for gabbi, against placementtest; and a part of it against the real Placement, to
# check that the fixtures are right. The suite is downloaded, from Debian's source package of the Placement that is installed here,
# and never becomes part of the project. PLACEMENT_GABBITS names a folder that has it already.
set -euo pipefail

files=51 # those whose fixtures HTTP calls can make
tests=857
# One file for each fixture.
for_runner=usage,with-allocations,allocation-candidates,allocation-candidates-bug-1792503,allocation-candidates-mappings-numa
for_runner+=,same-subtree-deep,allocation-candidates-member-of,allocation-candidates-mappings-sharing
for_runner+=,allocation-candidates-any-traits-groups

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# download FOLDER: fetches the suite with apt, which checks it against Debian's signatures.
download() {
  local folder=$1 version
  version=$(dpkg-query --show --showformat='${source:Version}' python3-placement)
  mkdir -p "$dir/sources" "$dir/lists/partial"
  sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$dir/sources/debian.sources"
  local apt=(apt-get --quiet
    --option Dir::Etc::sourcelist=/dev/null --option "Dir::Etc::sourceparts=$dir/sources"
    --option "Dir::State::lists=$dir/lists" --option "Dir::Cache=$dir" --option APT::Sandbox::User="$(id -un)")
  "${apt[@]}" update
  (cd "$dir" && "${apt[@]}" source --download-only "placement=$version")
  mkdir -p "$folder.new"
  tar --extract --file "$dir"/placement_*.orig.tar.* --directory "$folder.new" --wildcards --strip-components=5 \
    '*/placement/tests/functional/gabbits/*.yaml'
  mv "$folder.new" "$folder"
}

suite=${PLACEMENT_GABBITS:-}
if [ -z "$suite" ]; then
  suite=${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/placement-gabbits
  if [ ! -d "$suite" ]; then
    download "$suite"
  fi
fi

run() {
  /usr/bin/python3 -B functional/gabbi/run.py "$@" # Debian's, which has Debian's gabbi
}

go build -o "$dir/placementtest" ./functional/gabbi
echo "== placementtest"
run --expect "$files,$tests" "$suite" "$dir/placementtest"
echo "== the real Placement"
run --files "$for_runner" --expect 9,144 "$suite" bash functional/placement.sh
