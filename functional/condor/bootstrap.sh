#!/usr/bin/env bash
# Makes the chroot and installs HTCondor in it. Safe to run again, also at the same time.
# Settings are environment variables: see README.md.
set -euo pipefail
# shellcheck source=functional/condor/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The mirror is whatever this machine's own apt uses for Debian's main archive.
find_mirror() {
  if [ -n "${CONDOR_MIRROR:-}" ]; then
    echo "$CONDOR_MIRROR"
  else
    # shellcheck disable=SC2016 # apt's own variable
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' |
      grep -v -e security -e '^file:' | grep -m1 '/debian/*$'
  fi
}

make_chroot() {
  local mirror script
  mirror=$(find_mirror) || die "no Debian mirror found in this machine's apt sources; set CONDOR_MIRROR"
  if ! command -v debootstrap >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
  fi
  if mountpoint -q "$ROOT/proc"; then umount "$ROOT/proc"; fi # of an attempt that was broken off
  rm -rf --one-file-system "$ROOT"
  script=/usr/share/debootstrap/scripts/$CONDOR_SUITE
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
  debootstrap --variant=minbase --include=ca-certificates "$CONDOR_SUITE" "$ROOT" "$mirror" "$script" >"$CONDOR_DIR/bootstrap.log" 2>&1 || {
    tail -n 5 "$CONDOR_DIR/bootstrap.log" >&2
    die "debootstrap failed"
  }
  # what this machine's mirror or proxy needs of apt
  grep --files-with-matches --no-messages '^Acquire::[a-zA-Z:-]* "' /etc/apt/apt.conf.d/* |
    xargs --no-run-if-empty cp --target-directory="$ROOT/etc/apt/apt.conf.d" || true
  cp --dereference /etc/resolv.conf /etc/hosts "$ROOT/etc/"
  touch "$ROOT/.bootstrapped"
}

install_condor() {
  printf '#!/bin/sh\nexit 101\n' >"$ROOT/usr/sbin/policy-rc.d" # no package starts a daemon
  chmod 755 "$ROOT/usr/sbin/policy-rc.d"
  printf 'force-unsafe-io\n' >"$ROOT/etc/dpkg/dpkg.cfg.d/90condor"
  mount_proc
  {
    inside apt-get update -q
    inside apt-get install -y -q --no-install-recommends condor procps
    inside apt-get clean
  } </dev/null >>"$CONDOR_DIR/bootstrap.log" 2>&1 || {
    tail -n 15 "$CONDOR_DIR/bootstrap.log" >&2
    die "apt-get failed, see $CONDOR_DIR/bootstrap.log"
  }
}

bootstrap() {
  [ -e "$ROOT/.bootstrapped" ] || make_chroot
  [ -x "$ROOT/usr/sbin/condor_master" ] || install_condor
}

locked bootstrap
# shellcheck disable=SC2016 # dpkg's own variables
inside dpkg-query -W -f '${Package} ${Version}\n' condor
