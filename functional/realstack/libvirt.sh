#!/usr/bin/env bash
# Runs a command with the chroot's libvirt in the place of this machine's: virsh, virt-xml-validate and xmllint, and so domain.rng, the
# parser and the test driver, are those of Debian 13. Temporary files have to be where the chroot sees them, so TMPDIR is below it.
#   libvirt.sh DIR COMMAND ARGUMENTS...     (DIR as in bootstrap.sh)
set -euo pipefail
# shellcheck source=functional/realstack/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
shift

work=$(mktemp -d "$ROOT/tmp/libvirt.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tmp"
for program in virsh virt-xml-validate xmllint; do
  cat >"$work/bin/$program" <<C
#!/usr/bin/env bash
exec chroot "$ROOT" /usr/bin/env HOME="\${HOME#"$ROOT"}" TMPDIR="${work#"$ROOT"}/tmp" "/usr/bin/$program" "\${@//"$ROOT"/}"
C
  chmod 755 "$work/bin/$program"
done
say "libvirt $(PATH=$work/bin:$PATH virsh --version)"
PATH=$work/bin:$PATH TMPDIR=$work/tmp "$@"
