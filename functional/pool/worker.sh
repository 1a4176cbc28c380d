#!/usr/bin/env bash
# A server of the tests' cloud: a worker of functional/condor at a loopback address of its own. Each start is noted in a file.
#   worker.sh FILE NAME [CPUS [MEMORY_MB [GPUS [FPGAS]]]]
set -euo pipefail

echo "$2" >>"$1"
shift
sum=$(cksum <<<"$1")
sum=${sum%% *}
export WORKER_ADDRESS=127.$((64 + (sum >> 16 & 63))).$((sum >> 8 & 255)).$((1 + sum % 254))
exec bash "$(dirname "${BASH_SOURCE[0]}")/../condor/up.sh" worker "$@"
