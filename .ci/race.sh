#!/usr/bin/env bash
# All tests with the race detector, in random order, against the real peers: what is not there fails.
set -euo pipefail

export NOVACYBORG_PEERS=required
bash functional/placement.sh \
  go tool -modfile=tools.mod gotestsum --format pkgname-and-test-fails -- -race -shuffle=on -count=1 ./...
