# shellcheck shell=bash
# Settings and functions of bootstrap.sh, up.sh, down.sh and exec.sh; sourced, never run.

CONDOR_DIR=${NOVACYBORG_CONDOR:-${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/condor}
CONDOR_SUITE=${CONDOR_SUITE:-trixie} # Debian suite whose HTCondor it is
CONDOR_POOL=${CONDOR_POOL:-pool}     # several pools live side by side, each with a name and a port
CONDOR_PORT=${CONDOR_PORT:-19618}    # of its collector, on 127.0.0.1
CONDOR_QUEUES=${CONDOR_QUEUES:-juno lhaaso cepc}

ROOT=$CONDOR_DIR/$CONDOR_SUITE
# shellcheck disable=SC2034 # for the scripts that source this
BASE=/var/lib/elasticpool/$CONDOR_POOL # inside the chroot

say() { printf '%s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

[ "$(id -u)" = 0 ] || die "needs root (chroot, mount)"
case $CONDOR_DIR in /*) ;; *) die "the folder must be an absolute path, not $CONDOR_DIR" ;; esac
case $CONDOR_POOL in '' | *[!a-z0-9-]*) die "a pool's name is made of a-z, 0-9 and -, unlike $CONDOR_POOL" ;; esac

# inside CMD...: runs a command as the chroot's root with a clean environment.
inside() {
  chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}

# locked CMD...: one at a time over all pools of the chroot.
locked() {
  mkdir -p "$CONDOR_DIR"
  (
    flock 9
    "$@" 9>&-
  ) 9>"$CONDOR_DIR/lock"
}

mount_proc() { mountpoint -q "$ROOT/proc" || mount -t proc -o nosuid,nodev,noexec proc "$ROOT/proc"; }

# processes [NAME]: the pids of an instance, its jobs included, or of all of this pool.
processes() {
  local environ pid
  # both what HTCondor's daemons and what its jobs inherit names the instance's folder
  grep --files-with-matches --text --null-data --no-messages --extended-regexp \
    "^_?CONDOR_[A-Z_]*=$BASE/${1:+$1/}" /proc/[0-9]*/environ | while read -r environ; do
    pid=${environ#/proc/}
    pid=${pid%/environ}
    if [ "/proc/$pid/root" -ef "$ROOT" ]; then echo "$pid"; fi
  done
}
