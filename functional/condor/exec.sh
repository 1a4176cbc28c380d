#!/usr/bin/env bash
# Runs a command in the chroot, one of HTCondor's tools for the most part, with the configuration of the pool's central manager.
#   exec.sh [-u USER] COMMAND [ARGUMENT...]      (default: root)
set -euo pipefail
# shellcheck source=functional/condor/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

user=root home=/root
if [ "${1:-}" = -u ]; then
  user=$2 home=/home/$2
  shift 2
fi
exec chroot --userspec="$user" "$ROOT" /usr/bin/env -i -C "$home" HOME="$home" USER="$user" LOGNAME="$user" \
  PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 CONDOR_CONFIG="$BASE/central/config" "$@"
