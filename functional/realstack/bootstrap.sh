#!/usr/bin/env bash
# Makes the chroot and installs the OpenStack packages in it. Safe to run again.
#   bootstrap.sh [DIR]     (or REALSTACK_DIR; default: realstack in the user's cache folder of this project)
# REALSTACK_STAGE=1 leaves Nova and Glance out; REALSTACK_SUITE=sid takes newer releases; REALSTACK_PORT_OFFSET=10000
# puts the cloud beside another one. up.sh and down.sh remember these.
set -euo pipefail
# shellcheck source=functional/realstack/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The mirror is whatever this machine's own apt uses for Debian's main archive.
find_mirror() {
  if [ -n "${REALSTACK_MIRROR:-}" ]; then
    echo "$REALSTACK_MIRROR"
  else
    # shellcheck disable=SC2016 # apt's own variable
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' |
      grep -v -e security -e '^file:' | grep -m1 '/debian/*$'
  fi
}

if ! command -v debootstrap >/dev/null; then
  say "installing debootstrap"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
fi

mkdir -p "$REALSTACK_DIR" "$RUN" "$LOG"
for v in REALSTACK_SUITE REALSTACK_STAGE REALSTACK_HOST REALSTACK_PASSWORD REALSTACK_PORT_OFFSET; do
  # shellcheck disable=SC2016 # to be expanded when it is read
  printf ': "${%s:=%s}"\n' "$v" "${!v}"
done >"$REALSTACK_DIR/settings"
if [ ! -e "$REALSTACK_DIR/.debootstrapped" ]; then
  mirror=$(find_mirror) || die "no Debian mirror found in this machine's apt sources; set REALSTACK_MIRROR"
  say "debootstrap $REALSTACK_SUITE"
  for mount in proc sys; do # of an attempt that was broken off
    if mountpoint -q "$ROOT/$mount"; then umount "$ROOT/$mount"; fi
  done
  rm -rf --one-file-system "$ROOT"
  debootstrap --variant=minbase --include=ca-certificates "$REALSTACK_SUITE" "$ROOT" "$mirror" >"$LOG/debootstrap.log" 2>&1 || {
    tail -n 5 "$LOG/debootstrap.log" >&2
    die "debootstrap failed"
  }
  # what this machine's mirror or proxy needs of apt
  grep --files-with-matches --no-messages '^Acquire::[a-zA-Z:-]* "' /etc/apt/apt.conf.d/* |
    xargs --no-run-if-empty cp --target-directory="$ROOT/etc/apt/apt.conf.d" || true
  touch "$REALSTACK_DIR/.debootstrapped"
fi
mount_proc

printf '#!/bin/sh\nexit 101\n' >"$ROOT/usr/sbin/policy-rc.d" # no package starts a daemon
chmod 755 "$ROOT/usr/sbin/policy-rc.d"
cat >"$ROOT/etc/apt/apt.conf.d/90realstack" <<'C'
APT::Install-Recommends "false";
APT::Install-Suggests "false";
C
cat >"$ROOT/etc/dpkg/dpkg.cfg.d/90realstack" <<'C'
force-unsafe-io
path-exclude=/usr/share/man/*
path-exclude=/usr/share/doc/*
path-include=/usr/share/doc/*/copyright
path-exclude=/usr/share/locale/*
C
packages=(keystone placement-api cyborg-api cyborg-conductor cyborg-agent
  mariadb-server rabbitmq-server python3-pymysql
  python3-cyborgclient python3-osc-placement python3-openstackclient
  uwsgi-core uwsgi-plugin-python3 curl procps iproute2
  libvirt-clients libxml2-utils) # a newer libvirt than this machine's: schema, parser, test driver
[ "$REALSTACK_STAGE" -lt 2 ] || packages+=(nova-api nova-conductor nova-scheduler nova-common python3-nova
  glance-api glance-common python3-glanceclient)

# shellcheck disable=SC2016 # dpkg's own variables
installed() { inside dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' "${packages[@]}" 2>/dev/null; }
if [ "$(installed | grep -c '^installed ')" -lt "${#packages[@]}" ]; then
  # without a terminal every question of a package gets its default answer, no
  say "installing ${#packages[@]} packages and what they need"
  {
    inside dpkg --configure -a
    inside apt-get update -q
    inside apt-get install -y -q --no-install-recommends "${packages[@]}"
    inside apt-get clean
  } </dev/null >>"$LOG/apt.log" 2>&1 || {
    tail -n 15 "$LOG/apt.log" >&2
    die "apt-get failed, see $LOG/apt.log"
  }
fi
installed | sed 's/^installed //' >"$REALSTACK_DIR/versions"
say "chroot ready: $(du -xsh "$ROOT" | cut -f1)"
