#!/usr/bin/env bash
# Makes a chroot of a Debian suite that has only the official clients, and prints its path. Safe to run again.
#   clients.sh DIR SUITE     (the chroot is DIR/SUITE)
set -euo pipefail
REALSTACK_SUITE=$2
# shellcheck source=functional/realstack/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ ! -e "$REALSTACK_DIR/.ready" ]; then
  if ! command -v debootstrap >/dev/null; then
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >&2
  fi
  # shellcheck disable=SC2016 # apt's own variable
  mirror=${REALSTACK_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' |
    grep -v -e security -e '^file:' | grep -m1 '/debian/*$')}
  mkdir -p "$LOG"
  say "debootstrap $REALSTACK_SUITE"
  rm -rf --one-file-system "$ROOT" # of an attempt that was broken off
  debootstrap --variant=minbase --include=ca-certificates "$REALSTACK_SUITE" "$ROOT" "$mirror" >"$LOG/debootstrap.log" 2>&1 || {
    tail -n 5 "$LOG/debootstrap.log" >&2
    die "debootstrap failed"
  }
  # what this machine's mirror or proxy needs of apt
  grep --files-with-matches --no-messages '^Acquire::[a-zA-Z:-]* "' /etc/apt/apt.conf.d/* |
    xargs --no-run-if-empty cp --target-directory="$ROOT/etc/apt/apt.conf.d" || true
  printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/man/*' 'path-exclude=/usr/share/locale/*' >"$ROOT/etc/dpkg/dpkg.cfg.d/90realstack"
  say "installing the clients"
  inside apt-get install -y -q --no-install-recommends python3-openstackclient python3-cyborgclient </dev/null >"$LOG/apt.log" 2>&1 || {
    tail -n 15 "$LOG/apt.log" >&2
    die "apt-get failed, see $LOG/apt.log"
  }
  inside apt-get clean
  touch "$REALSTACK_DIR/.ready"
  say "chroot ready: $(du -xsh "$ROOT" | cut -f1)"
fi
echo "$ROOT"
