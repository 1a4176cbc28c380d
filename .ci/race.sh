#!/usr/bin/env bash
# All tests with the race detector, in random order, against the real peers: what is not there fails.
set -euo pipefail

export NOVACYBORG_PEERS=required
export NOVACYBORG_CONDOR=none # it has a stage of its own
bash functional/placement.sh \
  go tool -modfile=tools.mod gotestsum --format pkgname-and-test-fails ${NOVACYBORG_RESULTS:+--jsonfile "$NOVACYBORG_RESULTS/race.json"} -- -race -shuffle=on -count=1 ./...
if [ -n "${NOVACYBORG_RESULTS:-}" ]; then
  echo "== the slowest"
  go tool -modfile=tools.mod gotestsum tool slowest --threshold 20s --jsonfile "$NOVACYBORG_RESULTS/race.json"
fi

# What takes too long with the race detector: the fault matrix, with its count, and ten thousand instances.
go test -count=1 -v -run 'TestMatrix$|TestInstancesLeaveNoMemory' ./lifecycle | grep -E '^(ok|FAIL|---|panic)|combinations'
