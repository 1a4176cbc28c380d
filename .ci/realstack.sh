#!/usr/bin/env bash
# The project against a real Keystone, Placement, Cyborg and Nova, and against the libvirt of Debian 13, which are installed in a chroot
# outside the checkout and run for this stage alone. Needs root. What cannot be started fails, and so does a test that is skipped.
set -euo pipefail

# shellcheck source=.ci/fake.sh
. .ci/fake.sh

dir=${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/realstack
scripts=functional/realstack
export REALSTACK_STAGE=2 REALSTACK_PORT_OFFSET=20000 # beside a cloud on the usual ports

# cloud SCRIPT ARGUMENTS...: one of the scripts. Its daemons must not inherit the lock.
cloud() {
  local script=$1
  shift
  bash "$scripts/$script" "$dir" "$@" 8>&-
}

prove() { bash "$scripts/prove.sh" "$@"; }

fake_pid=
stop() {
  [ -z "$fake_pid" ] || kill "$fake_pid" 2>/dev/null || true
  fake_pid=
  rm -rf "$work"
  cloud down.sh
}

mkdir -p "$dir"
exec 8>"$dir/lock"
flock 8
work=$(mktemp -d)
trap stop EXIT
cloud bootstrap.sh
WIPE=1 cloud down.sh # of a run that was cut off
cloud up.sh
cat "$dir/versions"

echo "== libvirt of Debian 13"
corpus=$(cloud corpus.sh)
NOVACYBORG_LIBVIRT_CORPUS=$corpus cloud libvirt.sh bash "$scripts/prove.sh" ./functional \
  TestLibvirtAcceptsComposedDomains TestLibvirtAcceptsRecordedHandles TestLibvirtAcceptsTheFlowsDomain \
  TestLibvirtRefusesWhatItDoesNotKnow TestNewLibvirtAcceptsOptions TestLibvirtCorpus

# shellcheck source=/dev/null
openrc=$(. "$dir/openrc" && echo "$OS_AUTH_URL $REALSTACK_PLACEMENT_URL $REALSTACK_NOVA_URL $OS_PASSWORD")
read -r keystone placement nova password <<<"$openrc"
export OS_CLIENT_CONFIG_FILE=$dir/clouds.yaml

echo "== Keystone"
NOVACYBORG_KEYSTONE_URL=$keystone NOVACYBORG_KEYSTONE_USER=nova NOVACYBORG_KEYSTONE_PASSWORD=$password NOVACYBORG_KEYSTONE_PROJECT=service \
  prove ./fakecyborg/keystone TestRealKeystone

echo "== Cyborg, Placement"
export NOVACYBORG_CYBORG_CLOUD=admin NOVACYBORG_CYBORG_SERVICE_CLOUD=nova NOVACYBORG_CYBORG_USER_CLOUD=demo
prove ./cyborgclient TestSuiteWithARealCyborg
prove ./functional TestRealCloud TestRealCloudRefuses

echo "== Cyborg and the fake: random sequences in lockstep"
cloud down.sh cyborg-agent # whose reports delete attributes
prove ./functional/differential TestCyborgDifferential
cloud up.sh

echo "== Nova as a cloud of the elastic pool"
NOVACYBORG_COMPUTE_CLOUD=demo NOVACYBORG_COMPUTE_ADMIN_CLOUD=admin prove ./elasticpool/openstack TestRealNova TestRealNovaLimits TestRealNovaRefuses

echo "== Cyborg's events for our receiver"
export NOVACYBORG_NOVA_OF_CYBORG=127.0.0.1:$((REALSTACK_PORT_OFFSET + 9774)) REALSTACK_SECOND_HOST=realstack-cn2 # where the test listens
cloud down.sh cyborg-conductor
REALSTACK_CYBORG_NOVA_URL=http://$NOVACYBORG_NOVA_OF_CYBORG/v2.1 cloud up.sh
NOVACYBORG_KEYSTONE_URL=$keystone NOVACYBORG_KEYSTONE_USER=nova NOVACYBORG_KEYSTONE_PASSWORD=$password NOVACYBORG_KEYSTONE_PROJECT=service \
  NOVACYBORG_SECOND_HOST=$REALSTACK_SECOND_HOST prove ./functional TestRealEvents

echo "== cmd/fakecyborg in Cyborg's place, under Nova: the stories of both"
export NOVACYBORG_CYBORG_OF_NOVA=127.0.0.1:$((REALSTACK_PORT_OFFSET + 7666)) # where the test listens
# shellcheck source=/dev/null
cyborg=$(. "$dir/openrc" && echo "${REALSTACK_CYBORG_URL%/v2}")
like_cyborg=(-seed "$scripts/fake-cards.yaml" -release 14.1.0 -auth keystone -keystone "$keystone" -keystone-cloud nova
  -mount bare -connection-close -no-chunked-bodies -public-endpoint "$cyborg" -placement "$placement")
start_fake "$work" "${like_cyborg[@]}" -nova "http://$NOVACYBORG_NOVA_OF_CYBORG/v2.1"
cloud down.sh nova-api nova-conductor nova-compute
REALSTACK_NOVA_CYBORG_URL=http://$NOVACYBORG_CYBORG_OF_NOVA/v2 \
  REALSTACK_CYBORG_NOVA_URL=http://$NOVACYBORG_NOVA_OF_CYBORG/v2.1 cloud up.sh
NOVACYBORG_COMPUTE_CLOUD=demo NOVACYBORG_COMPUTE_ADMIN_CLOUD=admin NOVACYBORG_FAKE_CYBORG=$FAKE/v2 GOFLAGS=-parallel=12 \
  prove ./functional/novastories TestNovaStories

echo "== the same, by tempest"
kill "$fake_pid"
wait "$fake_pid" || true
start_fake "$work" "${like_cyborg[@]}" -listen "$NOVACYBORG_CYBORG_OF_NOVA" -nova "$nova" # where Nova looks for it
cloud tempest.sh "$FAKE/v2"

trap - EXIT
stop
