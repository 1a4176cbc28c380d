#!/usr/bin/env bash
# What the documents tell people to type works. In every Markdown file, a block marked "sh" is run by bash at the root of
# the checkout, and a block marked "go" is a program that is run in a module outside this one. The peers are left
# alone, as on a machine that has only Go. The commands of each page find a new fake at $FAKE, with the devices of examples/boot:
# no page may live on what another one left, or miss what it took.
set -euo pipefail

# shellcheck source=.ci/fake.sh
. .ci/fake.sh

root=$PWD
module=$(go list -m)
dir=$(mktemp -d)
fake_pid=
stop_fake() {
  [ -z "$fake_pid" ] || kill "$fake_pid" 2>/dev/null || true
  fake_pid=
}
trap 'stop_fake; rm -rf "$dir"' EXIT
export NOVACYBORG_PEERS=none

# blocks PAGE LANGUAGE FOLDER: one file per fenced block, named by the line where the block starts.
blocks() {
  awk -v language="$2" -v folder="$3" '
    $0 == "```" language { out = sprintf("%s/%05d.%s", folder, NR, language); next }
    /^```/ { if (out != "") close(out); out = ""; next }
    out != "" { print > out }
  ' "$1"
}

run_program() {
  mkdir "$dir/program"
  cp "$1" "$dir/program/main.go"
  (
    cd "$dir/program"
    go mod init example.org/program
    go mod edit -require "$module@v0.0.0" -replace "$module=$root"
    go mod tidy
    go run .
  )
  rm -r "$dir/program"
}

first=$(awk '/^```/ { if (open) exit; open = 1; next } open' README.md)
if [ "$first" != $'go run ./examples/boot\ngo test ./...' ]; then
  echo "README.md: the first block must be the two commands of a newcomer, not:" "$first" >&2
  exit 1
fi

commands=0
programs=0
while read -r page; do
  mkdir "$dir/blocks"
  blocks "$page" sh "$dir/blocks"
  blocks "$page" go "$dir/blocks"
  if compgen -G "$dir/blocks/*.sh" >/dev/null; then
    start_fake "$dir" -seed examples/boot/seed.yaml -placement embedded
  fi
  while read -r block; do
    echo "+ $page:$(basename "$block")"
    start=$SECONDS
    case $block in
    *.sh)
      bash -euo pipefail "$block" </dev/null
      commands=$((commands + 1))
      ;;
    *.go)
      run_program "$block"
      programs=$((programs + 1))
      ;;
    esac
    echo "  $((SECONDS - start)) s"
  done < <(find "$dir/blocks" -type f | sort)
  stop_fake
  rm -r "$dir/blocks"
done < <(find . -name '*.md' -not -path './.git/*' | sort)
echo "$commands command blocks, $programs programs"
if [ "$commands" -eq 0 ] || [ "$programs" -eq 0 ]; then
  echo "there must be at least one of each" >&2
  exit 1
fi
