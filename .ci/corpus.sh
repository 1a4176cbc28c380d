#!/usr/bin/env bash
# Compose and Decompose over libvirt's own test domains. They come from Debian's source package, are kept outside the checkout, and are
# in no commit.
set -euo pipefail

version=$(dpkg-query --show --showformat='${source:Version}' libvirt0)
corpus=${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/libvirt-$version

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt downloads as a user of its own

# fetch: the XML files of libvirt's tests. The machine's own package lists stay as they are.
fetch() {
  local apt
  mkdir -p "$work/parts" "$work/lists/partial"
  sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$work/parts/debian.sources"
  apt=(apt-get --quiet --option Dir::Etc::sourcelist=/dev/null --option "Dir::Etc::sourceparts=$work/parts"
    --option "Dir::State::lists=$work/lists")
  "${apt[@]}" update
  (cd "$work" && "${apt[@]}" source --download-only "libvirt=$version")
  rm -rf "$corpus.new"
  mkdir -p "$corpus.new"
  tar --extract --file "$work"/libvirt_*.orig.tar.xz --directory "$corpus.new" --strip-components=1 --wildcards '*/tests/*.xml'
  mv "$corpus.new" "$corpus"
}

[ -d "$corpus/tests" ] || fetch
NOVACYBORG_LIBVIRT_CORPUS=$corpus bash functional/realstack/prove.sh ./functional TestLibvirtCorpus
