#!/usr/bin/env bash
# docs/conformance.md says what the tests with real peers have said, stage by stage, in the folder NOVACYBORG_RESULTS. The stages are
# those of CI_STAGES; without it, all. conformance.sh -write makes the page anew, from the results of those stages.
set -euo pipefail

: "${NOVACYBORG_RESULTS:?the folder that .ci/run was given}"
how=(-check docs/conformance.md)
if [ "${1:-}" = -write ]; then how=(-write docs/conformance.md); fi
if [ -n "${CI_STAGES:-}" ]; then how+=(-stages "$CI_STAGES"); fi
mapfile -t results < <(find "$NOVACYBORG_RESULTS" -maxdepth 1 -name '*.json' | sort)
go run ./functional/conformance "${how[@]}" "${results[@]}"
