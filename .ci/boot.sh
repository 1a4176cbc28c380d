#!/usr/bin/env bash
# The main job as a newcomer runs it, its result shown to libvirt, and what it says to bad input.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir" ./examples/boot ./cmd/fakecyborg

go run ./examples/boot | tee "$dir/out"
sed -n '/<domain/,/<\/domain>/p' "$dir/out" >"$dir/domain.xml"
[ "$(grep --count '<hostdev' "$dir/domain.xml")" -eq 2 ]
virt-xml-validate "$dir/domain.xml" domain
"$dir/boot" -json | python3 -c 'import json, sys; json.load(sys.stdin)'

# refuses NAME TEXT COMMAND...: exit code 1 and one error that has the text in it.
refuses() {
  local name=$1 text=$2 code=0
  shift 2
  timeout 60 "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
  if [ "$code" -ne 1 ] || ! grep --quiet --extended-regexp -- "$text" "$dir/err"; then
    echo "FAIL: $name: exit code $code, want 1 and '$text'" >&2
    tail -n 20 "$dir/out" "$dir/err" >&2
    exit 1
  fi
  echo "ok: $name: $(head -n 1 "$dir/err")"
}

inputs=examples/boot
sed 's/fpga-and-gpu/no-such-profile/' $inputs/flavor.json >"$dir/flavor.json"
refuses "unknown profile" no-such-profile "$dir/boot" -flavor "$dir/flavor.json"
sed 's/resources:PGPU/resources:PGPPU/' $inputs/profile.json >"$dir/misspelt.json"
refuses "misspelt class" PGPPU "$dir/boot" -profile "$dir/misspelt.json"
sed 's/"resources:PGPU": "1"/"resources:PGPU": "9"/' $inputs/profile.json >"$dir/greedy.json"
refuses "no free device" 'device_profile_1|group 1' "$dir/boot" -profile "$dir/greedy.json"
sed 's/"vcpus": 4/"vcpus": 4000/' $inputs/flavor.json >"$dir/large.json"
refuses "no host" VCPU "$dir/boot" -flavor "$dir/large.json"
sed 's/<\/devices>//' $inputs/domain.xml >"$dir/torn.xml"
refuses "malformed domain" 'line [0-9]+' "$dir/boot" -domain "$dir/torn.xml"
sed 's/"vcpus": 4,/"vcpus": 4/' $inputs/flavor.json >"$dir/torn.json"
refuses "malformed flavor" 'torn\.json' "$dir/boot" -flavor "$dir/torn.json"
refuses "missing file" absent.json "$dir/boot" -flavor "$dir/absent.json"
sed 's/vcpus: 32/vcpu: 32/' $inputs/seed.yaml >"$dir/seed.yaml"
refuses "seed with an unknown key" 'seed\.yaml:[0-9]+.*vcpu' "$dir/fakecyborg" -listen 127.0.0.1:0 -seed "$dir/seed.yaml"
