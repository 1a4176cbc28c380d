# shellcheck shell=bash
# The surroundings of every stage: nothing of the caller's cloud, a home folder for Go's caches, plain language.
for name in "${!OS_@}" "${!NOVACYBORG_@}"; do
  unset "$name"
done
export LC_ALL=C.UTF-8
if [ ! -w "${HOME:-/nonexistent}" ]; then
  HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
  [ -w "$HOME" ] || HOME=$(mktemp -d)
  export HOME
fi
