#!/usr/bin/env bash
# Ends daemons of the pool and their jobs at once, as the power going off does, and removes what they kept on disk.
#   down.sh            all of the pool
#   down.sh NAME...    these instances, such as workers
# CONDOR_KEEP=1 keeps what is on disk: the next up.sh goes on with it.
# Only processes that up.sh started are signalled: those in the chroot whose environment names the instance's folder.
set -euo pipefail
# shellcheck source=functional/condor/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# end [NAME]: until nothing of it is left; a killed daemon's child may have been starting another one.
end() {
  local pids
  for _ in {1..100}; do
    mapfile -t pids < <(processes "$@")
    [ ${#pids[@]} -gt 0 ] || break
    kill -KILL "${pids[@]}" 2>/dev/null || true
    sleep 0.05
  done
  [ ${#pids[@]} -eq 0 ] || die "processes that do not end: ${pids[*]}"
  [ "${CONDOR_KEEP:-0}" = 1 ] || rm -rf --one-file-system "${ROOT:?}$BASE/${1:-}"
}

if [ $# -gt 0 ]; then
  for name; do
    case $name in '' | *[!A-Za-z0-9-]*) die "no name of an instance: $name" ;; esac
    end "$name"
  done
else
  end
fi
