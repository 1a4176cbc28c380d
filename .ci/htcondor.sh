#!/usr/bin/env bash
# The elastic pool against a real HTCondor of Debian 13, which is installed in a chroot outside the checkout and runs for this stage alone.
# Needs root. What cannot be started fails, and so does a test that is skipped.
set -euo pipefail

export NOVACYBORG_CONDOR=${XDG_CACHE_HOME:-$HOME/.cache}/novacyborg/condor
bash functional/condor/bootstrap.sh
bash functional/realstack/prove.sh ./functional/condor TestHTCondor
