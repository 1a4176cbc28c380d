#!/usr/bin/env bash
# The recipes of docs/ci.md work: every block of shell, Python and Go, the commands in those for GitHub, GitLab and Zuul, and what
# the image does, whose build line is run without an image. What fetches a checkout is left out; it is there already.
set -euo pipefail

root=$PWD
page=$root/docs/ci.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
ln -s /usr/bin/python3 "$dir/bin/python3" # Debian's, which has Debian's openstacksdk
export PATH=$dir/bin:$PATH

# blocks NAME: the blocks of that name, one after the other.
blocks() {
  awk -v name="$1" '
    $0 == "```" name { inside = 1; next }
    /^```/ { inside = 0 }
    inside { print }
  ' "$page"
}

# enter NAME: a folder of its own with a checkout, as every recipe expects it.
enter() {
  printf '\n== %s\n' "$1"
  mkdir "$dir/$1"
  ln -s "$root" "$dir/$1/novacyborg"
  cd "$dir/$1"
}

# play NAME FILE: runs commands like a CI does, and ends what they left running.
play() {
  # shellcheck disable=SC2016 # the inner shell expands it
  timeout 600 bash -euo pipefail -c '
    trap '\''left=$(jobs -p); [ -z "$left" ] || kill $left 2>/dev/null || true'\'' EXIT
    . "$1"' "$1" "$2" </dev/null
}

enter shell
blocks python >client.py
mkdir client
blocks "go client" >client/main.go
{
  # Those of the first chapter first: they leave a fake running for the clients.
  blocks bash
  cat <<'CLIENTS'
python3 client.py
cd client
go mod init example.org/client
go mod edit -require github.com/novacyborg/novacyborg@v0.0.0 -replace "github.com/novacyborg/novacyborg=$ROOT"
go mod tidy
curl -fsS -X POST "$FAKE/_fake/reset"
[ "$(go run .)" = Initial ]
CLIENTS
} >all.sh
ROOT=$root play shell all.sh

for recipe in github gitlab zuul; do
  enter "$recipe"
  python3 "$root/.ci/recipes.py" "$recipe" "$page" >all.sh
  play "$recipe" all.sh
done

enter image
line=$(sed -n 's|^RUN \(CGO_ENABLED=0 go build .*\) -o /out/fakecyborg \(.*\)$|\1 -o '"$PWD"'/fakecyborg \2|p' "$root/Dockerfile")
(cd "$root" && bash -c "$line")
if ldd ./fakecyborg; then
  echo "FAIL: the binary of the image is not static" >&2
  exit 1
fi
python3 "$root/.ci/recipes.py" compose "$page" >all.sh
play image all.sh
