#!/usr/bin/env bash
# Debian's tempest against the cloud, with another Cyborg under its Nova: every server that it boots has an accelerator. tempest.list says which
# tests. Fails when one of them fails or does not run, and when a server, an ARQ or an allocation is left over.
#   tempest.sh DIR CYBORG   (DIR as in bootstrap.sh; CYBORG is what Nova was told with REALSTACK_NOVA_CYBORG_URL)
set -euo pipefail
# shellcheck source=functional/realstack/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CYBORG=${2:?the address of Cyborg}
PLACE=/var/lib/realstack/tempest
KEYSTONE=http://127.0.0.1:$PORT_KEYSTONE/v3

# shellcheck disable=SC2016 # dpkg's own variable
if [ "$(inside dpkg-query -W -f '${db:Status-Status}' python3-tempest 2>/dev/null)" != installed ]; then
  say "installing tempest"
  {
    inside apt-get update -q
    inside apt-get install -y -q --no-install-recommends python3-tempest
    inside apt-get clean
  } </dev/null >>"$LOG/apt.log" 2>&1 || {
    tail -n 15 "$LOG/apt.log" >&2
    die "apt-get failed, see $LOG/apt.log"
  }
fi

# step NAME: a step of tempest.py
step() {
  inside OS_AUTH_URL="$KEYSTONE" OS_USERNAME=admin OS_PASSWORD="$REALSTACK_PASSWORD" OS_PROJECT_NAME=admin OS_USER_DOMAIN_NAME=Default \
    OS_PROJECT_DOMAIN_NAME=Default OS_REGION_NAME=RegionOne python3 "$PLACE/tempest.py" "$1" "$CYBORG"
}

rm -rf "${ROOT:?}$PLACE"
install -D -m 644 "$HERE/tempest.py" "$ROOT$PLACE/tempest.py"
mapfile -t tests < <(grep --invert-match '^#' "$HERE/tempest.list")
printf '^%s\\b\n' "${tests[@]//./\\.}" >"$ROOT$PLACE/list"
compute=$(step prepare)
cat >"$ROOT$PLACE/tempest.conf" <<C
[DEFAULT]
log_file = $PLACE/tempest.log
[oslo_concurrency]
lock_path = $PLACE/lock
[auth]
use_dynamic_credentials = true
create_isolated_networks = false
# to have a shelved server offloaded at once
tempest_roles = admin
admin_username = admin
admin_project_name = admin
admin_password = $REALSTACK_PASSWORD
admin_domain_name = Default
[identity]
uri_v3 = $KEYSTONE
auth_version = v3
region = RegionOne
[identity-feature-enabled]
api_v2 = false
[service_available]
cinder = false
neutron = true
swift = false
horizon = false
[validation]
run_validation = false
[compute]
$compute
build_interval = 1
build_timeout = 300
# before 2.37 tempest says nothing about networks, and such a server never gets its accelerators from Nova 31
min_microversion = 2.37
max_microversion = 2.95
shelved_offload_time = -1
[compute-feature-enabled]
resize = false
suspend = false
vnc_console = false
personality = false
metadata_service = false
attach_encrypted_volume = false
C

# shellcheck disable=SC2016 # dpkg's own variable
say "tempest $(inside dpkg-query -W -f '${Version}' python3-tempest), ${#tests[@]} tests"
inside HOME="$PLACE" sh -c "cd $PLACE && tempest init work && cp tempest.conf work/etc/" >"$LOG/tempest.log" 2>&1 ||
  die "tempest init failed, see $LOG/tempest.log"
code=0
inside HOME="$PLACE" sh -c "cd $PLACE/work && tempest run --include-list $PLACE/list --concurrency 4" >>"$LOG/tempest.log" 2>&1 || code=$?
grep --extended-regexp '\.\.\. (ok|SKIPPED|FAILED)' "$LOG/tempest.log" || true
[ "$code" = 0 ] || {
  tail -n 60 "$LOG/tempest.log" >&2
  die "tempest failed ($code), see $LOG/tempest.log"
}
for name in "${tests[@]}"; do
  grep --quiet --fixed-strings -- " $name [" <(grep '\.\.\. ok$' "$LOG/tempest.log") || die "$name has not passed, see $LOG/tempest.log"
done
step leftovers || die "tempest's servers left something behind"
say "${#tests[@]} tests of tempest have passed; nothing is left"
