# shellcheck shell=bash
# start_fake FOLDER FLAGS...: builds cmd/fakecyborg, starts it on a free port, and waits until it is ready. FAKE is then
# its address and fake_pid its process, which the caller ends; its output is in FOLDER/out and FOLDER/err.
start_fake() {
  local dir=$1
  shift
  rm -f "$dir/address" # of one before
  go build -o "$dir/fakecyborg" ./cmd/fakecyborg
  "$dir/fakecyborg" -listen 127.0.0.1:0 -address-file "$dir/address" "$@" >"$dir/out" 2>"$dir/err" </dev/null &
  fake_pid=$!
  for _ in {1..300}; do
    if [ -s "$dir/address" ]; then
      FAKE=$(cat "$dir/address")
      export FAKE
      return
    fi
    kill -0 "$fake_pid" 2>/dev/null || break
    sleep 0.1
  done
  echo "fakecyborg did not become ready:" >&2
  tail -n 20 "$dir/out" "$dir/err" >&2
  return 1
}
