#!/usr/bin/env bash
# The official clients of Debian 13 and of sid, from chroots outside the checkout, against cmd/fakecyborg. Needs root. What cannot be
# installed fails, and so does a test that is skipped.
set -euo pipefail

scripts=functional/realstack
chroots=
for suite in trixie sid; do
  dir=${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/clients-$suite
  mkdir -p "$dir"
  chroots+=:$(flock "$dir/lock" bash "$scripts/clients.sh" "$dir" "$suite")
done
NOVACYBORG_CLIENT_CHROOTS=${chroots#:} bash "$scripts/prove.sh" ./functional TestClientsOfChroots TestClientsOfChrootsLogIn
