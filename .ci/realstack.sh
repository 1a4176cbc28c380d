#!/usr/bin/env bash
# The project against a real Keystone, Placement, Cyborg and Nova, and against the libvirt of Debian 13, which are installed in a chroot
# outside the checkout and run for this stage alone. Needs root. What cannot be started fails, and so does a test that is skipped.
set -euo pipefail

dir=${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/realstack
scripts=functional/realstack
export REALSTACK_STAGE=2 REALSTACK_PORT_OFFSET=20000 # beside a cloud on the usual ports

# The daemons must not inherit the lock.
cloud() {
  local script=$1
  shift
  bash "$scripts/$script" "$dir" "$@" 8>&-
}
mkdir -p "$dir"
exec 8>"$dir/lock"
flock 8

trap 'cloud down.sh' EXIT
cloud bootstrap.sh
WIPE=1 cloud down.sh # of a run that was cut off
cloud up.sh
cat "$dir/versions"

echo "== libvirt of Debian 13"
version=$(cloud libvirt.sh virsh --version)
if [ "${version%%.*}" -lt 11 ]; then
  echo "libvirt in the chroot is $version, want 11 or newer" >&2
  exit 1
fi
cloud libvirt.sh bash "$scripts/prove.sh" ./functional \
  TestLibvirtAcceptsComposedDomains TestLibvirtAcceptsRecordedHandles TestLibvirtRefusesWhatItDoesNotKnow

echo "== Keystone"
(
  # shellcheck source=/dev/null
  . "$dir/openrc"
  export NOVACYBORG_KEYSTONE_URL=$OS_AUTH_URL NOVACYBORG_KEYSTONE_USER=nova NOVACYBORG_KEYSTONE_PROJECT=service
  export NOVACYBORG_KEYSTONE_PASSWORD=$OS_PASSWORD
  unset "${!OS_@}"
  bash "$scripts/prove.sh" ./fakecyborg/keystone TestRealKeystone
)

export OS_CLIENT_CONFIG_FILE=$dir/clouds.yaml
export NOVACYBORG_CYBORG_CLOUD=admin NOVACYBORG_CYBORG_SERVICE_CLOUD=nova NOVACYBORG_CYBORG_USER_CLOUD=demo
echo "== Cyborg"
bash "$scripts/prove.sh" ./cyborgclient TestSuiteWithARealCyborg
echo "== Placement and Cyborg"
bash "$scripts/prove.sh" ./functional TestRealCloud TestRealCloudRefuses

trap - EXIT
cloud down.sh
