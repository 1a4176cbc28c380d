#!/usr/bin/env bash
# The official client, which nobody here wrote, drives cmd/fakecyborg through a device's whole life.
set -euo pipefail

# shellcheck source=.ci/fake.sh
. .ci/fake.sh

dir=$(mktemp -d)
fake_pid=
trap '[ -z "$fake_pid" ] || kill "$fake_pid" 2>/dev/null || true; rm -rf "$dir"' EXIT
start_fake "$dir" -seed examples/boot/seed.yaml -placement embedded
url=$FAKE

fail() {
  echo "FAIL: $*" >&2
  tail -n 20 "$dir/out" "$dir/err" >&2
  exit 1
}

equal() { # WHAT WANT GOT
  [ "$2" = "$3" ] || fail "$1: want '$2', got '$3'"
  echo "ok: $1"
}

cyborg() {
  openstack --os-auth-type none --os-endpoint "$url/v2" accelerator "$@"
}

# refused WHAT TEXT COMMAND...: the command fails, and its words have the text in them.
refused() {
  local what=$1 text=$2 words
  shift 2
  if words=$(cyborg "$@" 2>&1); then
    fail "$what: was not refused"
  fi
  [[ $words == *"$text"* ]] || fail "$what: want '$text', got '$words'"
  echo "ok: $what"
}

provider=$(curl --silent --fail --header 'X-Auth-Token: admin' --header 'OpenStack-API-Version: placement 1.20' \
  "$url/placement/resource_providers?resources=PGPU:1" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["resource_providers"][0]["uuid"])')
instance=6f0d4c3e-9f57-4d1f-8c1f-8a110b3c2a14

equal "device list" "FPGA FPGA FPGA GPU GPU" "$(cyborg device list -f value -c type | sort | xargs)"
equal "device list: hosts" "fpga-1 mixed-1" "$(cyborg device list -f value -c hostname | sort --unique | xargs)"
equal "deployable list" 5 "$(cyborg deployable list -f value -c uuid | wc --lines)"

equal "device profile create" walk "$(cyborg device profile create walk '[{"resources:PGPU": "1"}]' -f value -c name)"
equal "device profile list" walk "$(cyborg device profile list -f value -c name)"
refused "device profile create again" "already exists" device profile create walk '[{"resources:PGPU": "1"}]'
profile=$(cyborg device profile list -f value -c uuid)

arq=$(cyborg arq create walk -f value -c uuid)
equal "arq create" Initial "$(cyborg arq show "$arq" -f value -c state)"
refused "arq create without profile" "404" arq create no-such-profile
equal "arq bind" Bound "$(cyborg arq bind "$arq" mixed-1 "$instance" "$provider" no-project -f value -c state)"
equal "arq list" "$arq Bound $instance PCI" \
  "$(cyborg arq list -f value -c uuid -c state -c instance_uuid -c attach_handle_type)"
equal "arq unbind" Unbound "$(cyborg arq unbind "$arq" -f value -c state)"
cyborg arq delete "$arq"
equal "arq delete" "" "$(cyborg arq list -f value -c uuid)"

cyborg device profile delete "$profile"
equal "device profile delete" "" "$(cyborg device profile list -f value -c name)"

kill -TERM "$fake_pid"
code=0
wait "$fake_pid" || code=$?
equal "exit code after SIGTERM" 0 "$code"
