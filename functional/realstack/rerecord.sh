#!/usr/bin/env bash
# Records what a real Cyborg says anew and compares it with what was recorded once, exchange by exchange; a difference fails with its place.
#   rerecord.sh DIR RECORDING [UPDATE]
# DIR is that of up.sh, or any folder with an openrc like the one there. RECORDING is the name of a file in fakecyborg/testdata: stage1-nova-stub
# for a cloud of stage 1, stage2-with-nova for one of stage 2, sid-stage1-nova-stub for one of sid. With "update" that file is written anew.
# It takes a minute, and all ARQs and device profiles of the cloud.
set -euo pipefail

dir=$(cd "$1" && pwd)
recording=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# shellcheck source=/dev/null
. "$dir/openrc"
python3 -B "$here/capture.py" "$out"
cd "$here/../differential"
go test -count=1 -v -run '^TestRecordedDrift$' . -args -drift.recorded "$out" -drift.recording "$recording" ${3:+-drift.update}
