#!/usr/bin/env bash
# Stops what up.sh started, by the pids it recorded, and what else those daemons left in the chroot.
#   down.sh [DIR [NAME...]]     (DIR as in bootstrap.sh)
# With names, such as nova-api, only those daemons; the next up.sh starts them again with fresh configuration.
# The data stay; WIPE=1 drops them too (databases, broker state, images): the next up.sh makes an empty cloud.
set -euo pipefail
# shellcheck source=functional/realstack/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ $# -gt 1 ]; then
  stop "${@:2}"
  say "stopped: ${*:2}"
  exit 0
fi

# processes: all that run in the chroot
processes() {
  local process
  for process in /proc/[0-9]*; do
    if in_chroot "${process#/proc/}"; then echo "${process#/proc/}"; fi
  done
}

# first those that use the database and the broker
stop nova-compute nova-api nova-scheduler nova-conductor nova-stub neutron glance cyborg-agent cyborg-agent-2 cyborg-api cyborg-conductor placement keystone
mapfile -t left < <(processes)
end "${left[@]}"
rm -f "$RUN"/*.pid
mapfile -t left < <(processes)
[ ${#left[@]} -eq 0 ] || die "processes that do not end: ${left[*]}"
if mountpoint -q "$ROOT/proc"; then umount "$ROOT/proc"; fi
if [ "${WIPE:-0}" = 1 ]; then
  rm -rf "$REALSTACK_DIR"/.done-* "$ROOT"/var/lib/mysql/* "$ROOT"/var/lib/rabbitmq/mnesia \
    "$ROOT"/var/lib/glance/images/* "$ROOT"/etc/keystone/fernet-keys "$ROOT"/etc/keystone/credential-keys "$LOG"/*.log
  say "data dropped"
fi
say "the cloud is down"
