#!/usr/bin/env bash
# Runs a real Placement (Debian: python3-placement) for tests: on loopback, on a free port, with SQLite in a folder of
# its own, token "admin".
#
#   placement.sh COMMAND ARGUMENTS...   runs the command with NOVACYBORG_PLACEMENT_URL set
#   placement.sh                        prints the URL and serves until its standard input ends
#
# Nothing is left afterwards.
set -euo pipefail

dir=$(mktemp -d)
server=
stop() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$dir"
}
trap stop EXIT
trap 'exit 0' INT TERM

cat >"$dir/placement.conf" <<EOF
[DEFAULT]
log_file = $dir/placement.log
[api]
auth_strategy = noauth2
[placement_database]
connection = sqlite:///$dir/placement.sqlite
sync_on_startup = true
EOF
: >"$dir/out" # it may be looked at before the server's shell has opened it
OS_PLACEMENT_CONFIG_DIR=$dir placement-api --host 127.0.0.1 --port 0 >"$dir/out" 2>"$dir/err" </dev/null &
server=$!

port=
for _ in {1..300}; do
  port=$(sed -n 's/^Available at .*:\([0-9]*\)\/$/\1/p' "$dir/out")
  [ -z "$port" ] || break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.2
done
if [ -z "$port" ]; then
  echo "placement-api did not start within a minute:" >&2
  tail -n 20 "$dir/out" "$dir/err" >&2
  exit 1
fi
url=http://127.0.0.1:$port

if [ $# -gt 0 ]; then
  NOVACYBORG_PLACEMENT_URL=$url "$@"
else
  echo "$url"
  while read -r _; do :; done
fi
