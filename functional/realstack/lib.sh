# shellcheck shell=bash
# Settings and functions of bootstrap.sh, up.sh and down.sh; sourced, never run.

REALSTACK_DIR=${1:-${REALSTACK_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/realstack}}
# What bootstrap.sh was told is remembered, so that later calls need only the folder; the environment wins.
if [ -e "$REALSTACK_DIR/settings" ]; then
  # shellcheck source=/dev/null
  . "$REALSTACK_DIR/settings"
fi
REALSTACK_STAGE=${REALSTACK_STAGE:-2}           # 1: Keystone, Placement, Cyborg; 2: also Glance and Nova
REALSTACK_SUITE=${REALSTACK_SUITE:-trixie}      # Debian suite: trixie (Cyborg 14, Nova 31) or sid (newer)
REALSTACK_HOST=${REALSTACK_HOST:-realstack-cn1} # name of the one compute host
REALSTACK_PASSWORD=${REALSTACK_PASSWORD:-realstack}
REALSTACK_PORT_OFFSET=${REALSTACK_PORT_OFFSET:-0} # added to every port, for a second cloud beside the first (at most 20000)
export REALSTACK_DEBUG=${REALSTACK_DEBUG:-False}

# All of these are bound to 127.0.0.1 only.
port() { echo $(($1 + REALSTACK_PORT_OFFSET)); }
PORT_KEYSTONE=$(port 5000)
PORT_PLACEMENT=$(port 8778)
PORT_CYBORG=$(port 6666)
PORT_NOVA=$(port 8774)
PORT_GLANCE=$(port 9292)
PORT_NEUTRON=$(port 9696)
PORT_RABBIT=$(port 5672)
PORT_RABBIT_DIST=$(port 5680)
PORT_EPMD=$(port 4369)
export PORT_KEYSTONE PORT_PLACEMENT PORT_CYBORG PORT_NOVA PORT_GLANCE PORT_NEUTRON PORT_RABBIT PORT_RABBIT_DIST PORT_EPMD

ROOT=$REALSTACK_DIR/$REALSTACK_SUITE
RUN=$REALSTACK_DIR/run
LOG=$REALSTACK_DIR/log
T0=$SECONDS

say() { printf '[%4ds] %s\n' "$((SECONDS - T0))" "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

[ "$(id -u)" = 0 ] || die "needs root (chroot, mount)"
case $REALSTACK_DIR in /*) ;; *) die "the folder must be an absolute path, not $REALSTACK_DIR" ;; esac

# inside CMD...: runs a command as the chroot's root with a clean environment.
inside() {
  chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}

mount_proc() { mountpoint -q "$ROOT/proc" || mount -t proc -o nosuid,nodev,noexec proc "$ROOT/proc"; }

# in_chroot PID: that process lives, and in our chroot.
in_chroot() { [ "/proc/$1/root" -ef "$ROOT" ]; }

# pid_of NAME: the recorded pid, only while that process lives in our chroot.
pid_of() {
  local pid
  pid=$(cat "$RUN/$1.pid" 2>/dev/null) && [ -n "$pid" ] && in_chroot "$pid" && echo "$pid"
}

# start NAME USER CMD...: one daemon in the chroot, detached, its pid in run/NAME.pid.
start() {
  local name=$1 user=$2 pid
  shift 2
  if pid_of "$name" >/dev/null; then return 0; fi
  setsid chroot "$ROOT" /usr/bin/setpriv --reuid="$user" --regid="$(inside id -gn "$user")" --init-groups \
    /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/var/lib/realstack \
    PYTHONUNBUFFERED=1 "$@" </dev/null >>"$LOG/$name.log" 2>&1 &
  pid=$!
  echo "$pid" >"$RUN/$name.pid"
  # until it is inside the chroot (or gone), so that pid_of knows it
  while kill -0 "$pid" 2>/dev/null && ! pid_of "$name" >/dev/null; do sleep 0.05; done
}

# unheld NAME PORT: nobody listens there but the daemon NAME. Two clouds with the same ports would talk to each other's daemons.
unheld() {
  local program pid place=""
  if pid_of "$1" >/dev/null; then return 0; fi
  read -r program pid < <(inside ss --no-header --listening --tcp --numeric --processes "sport = :$2" |
    sed -nE 's/.*users:\(\("([^"]*)",pid=([0-9]+).*/\1 \2/p') || return 0
  if [ "$(readlink "/proc/$pid/root")" != / ]; then place=" in $(readlink "/proc/$pid/root")"; fi
  die "port $2, for $1, is held by $program (pid $pid)$place: stop that, with down.sh if it is a cloud," \
    "or take other ports: WIPE=1 down.sh, then bootstrap.sh and up.sh with another REALSTACK_PORT_OFFSET than $REALSTACK_PORT_OFFSET"
}

# end PID...: TERM for all, KILL for those that are there ten seconds later. The processes are daemons of ours; each leads a group, in which
# its workers are: without their leader they would serve on, with the old configuration.
end() {
  local pid left=("$@")
  [ $# -gt 0 ] || return 0
  kill -TERM -- "${@/#/-}" 2>/dev/null || true
  for _ in {1..100}; do
    left=()
    for pid; do
      if kill -0 -- "-$pid" 2>/dev/null; then left+=("$pid"); fi
    done
    [ ${#left[@]} -gt 0 ] || return 0
    sleep 0.1
  done
  say "KILL for ${left[*]}, which did not end on TERM"
  kill -KILL -- "${left[@]/#/-}" 2>/dev/null || true
  sleep 0.5
}

# stop NAME...: by the recorded pids.
stop() {
  local name pid pids=()
  for name; do
    if pid=$(pid_of "$name"); then pids+=("$pid"); fi
    rm -f "$RUN/$name.pid"
  done
  end "${pids[@]}"
}

# await NAME CMD...: until CMD succeeds, while the daemon NAME lives. The machine may have other things to do.
await() {
  local name=$1 limit=$((SECONDS + 300)) why="not up in time"
  shift
  while [ "$SECONDS" -lt "$limit" ]; do
    if "$@" >/dev/null 2>&1; then
      say "$name is up"
      return 0
    fi
    if ! pid_of "$name" >/dev/null; then
      why="ended while starting"
      break
    fi
    sleep 0.2
  done
  tail -n 15 "$LOG/$name.log" >&2
  die "$name: $why, see $LOG/$name.log"
}
