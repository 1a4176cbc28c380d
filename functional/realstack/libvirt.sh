#!/usr/bin/env bash
# Runs a command with the chroot's libvirt in the place of this machine's: virsh, virt-xml-validate and xmllint, and so domain.rng, the
# parser and the test driver, are those of Debian 13. They see only files below the chroot, by the same names, so TMPDIR is there.
#   libvirt.sh DIR COMMAND ARGUMENTS...     (DIR as in bootstrap.sh)
set -euo pipefail
# shellcheck source=functional/realstack/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
shift

mkdir -p "$ROOT${ROOT%/*}"
ln -sfn / "$ROOT$ROOT" # a file's name outside is good inside too
work=$(mktemp -d "$ROOT/tmp/libvirt.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tmp"
for program in virsh virt-xml-validate xmllint; do
  cat >"$work/bin/$program" <<C
#!/bin/sh
exec chroot "$ROOT" "/usr/bin/$program" "\$@"
C
  chmod 755 "$work/bin/$program"
done
export PATH=$work/bin:$PATH TMPDIR=$work/tmp
say "libvirt $(virsh --version)"
"$@"
