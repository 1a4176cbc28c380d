#!/usr/bin/env bash
# Prints the folder, in the chroot, of libvirt's own test domains, and downloads them if they are not there: the newest source of the
# chroot's suite, which apt checks against Debian's signatures.
#   corpus.sh DIR     (DIR as in bootstrap.sh)
set -euo pipefail
# shellcheck source=functional/realstack/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

corpus=/var/lib/realstack/libvirt-corpus
if [ ! -d "$ROOT$corpus/tests" ]; then
  say "downloading libvirt's tests"
  work=$(inside mktemp -d)
  trap 'rm -rf "$ROOT${work:?}"' EXIT
  mkdir -p "$ROOT$work/lists/partial" "$ROOT$work/new"
  sed 's/^deb /deb-src /' "$ROOT/etc/apt/sources.list" >"$ROOT$work/sources.list"
  options=(-q -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists" -o APT::Sandbox::User=root)
  inside apt-get "${options[@]}" update >&2
  # the tar alone: not every mirror has the description beside it
  inside env --chdir="$work" apt-get "${options[@]}" source --tar-only libvirt >&2
  tar --extract --file "$ROOT$work"/libvirt_*.orig.tar.xz --directory "$ROOT$work/new" --strip-components=1 --wildcards '*/tests/*.xml'
  mv "$ROOT$work/new" "$ROOT$corpus"
fi
echo "$ROOT$corpus"
