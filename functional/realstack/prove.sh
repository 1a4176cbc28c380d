#!/usr/bin/env bash
# Runs tests of one package that must not be skipped: those that are named must pass, and what begins with one of these names too.
#   prove.sh PACKAGE TEST...
# With NOVACYBORG_RESULTS, a folder, what became of them is added to its file CI_STAGE.json, as go test -json would print it.
set -euo pipefail

package=$1
shift
dir=$(mktemp -d)
keep() {
  if [ -n "${NOVACYBORG_RESULTS:-}" ]; then
    go tool test2json -p "$(go list "$package")" <"$dir/marked" >>"$NOVACYBORG_RESULTS/${CI_STAGE:-tests}.json"
  fi
  rm -rf "$dir"
}
trap keep EXIT
pattern=$(printf '|%s' "$@")
# The mark is for test2json: a line that a test prints is not taken for a result.
NOVACYBORG_PEERS=required go test -count=1 -timeout 30m -v=test2json -run "^(${pattern#|})" "$package" |
  tee "$dir/marked" | sed --unbuffered 's/\x16//g' | tee "$dir/out"
if grep --extended-regexp '^ *--- SKIP' "$dir/out"; then
  echo "$package: tests were skipped" >&2
  exit 1
fi
for test; do
  if ! grep --quiet --fixed-strings -- "--- PASS: $test (" "$dir/out"; then
    echo "$package: $test has not passed" >&2
    exit 1
  fi
done
