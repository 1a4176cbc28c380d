#!/usr/bin/env bash
# The elastic pool against a real HTCondor of Debian 13, which is installed in a chroot outside the checkout and runs for this stage alone.
# Needs root. What cannot be started fails, and so does a test that is skipped.
set -euo pipefail

export NOVACYBORG_CONDOR=${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/condor

# inhabited CHROOT: a process runs in it.
inhabited() {
  local root
  for root in /proc/[0-9]*/root; do
    if [ "$root" -ef "$1" ]; then return 0; fi
  done
  return 1
}

# stop ends what a test that was cut off left running. The chroot's /proc goes too, unless somebody else is in there.
stop() {
  local pool proc
  for pool in functional stories; do
    CONDOR_POOL=$pool flock --nonblock "$NOVACYBORG_CONDOR/$pool.lock" bash functional/condor/down.sh || true
  done
  for proc in "$NOVACYBORG_CONDOR"/*/proc; do
    if mountpoint -q "$proc" && ! inhabited "${proc%/proc}"; then umount "$proc"; fi
  done
}

trap stop EXIT
bash functional/condor/bootstrap.sh
bash functional/realstack/prove.sh ./functional/condor TestHTCondor
bash functional/realstack/prove.sh ./functional/pool TestElasticPool
