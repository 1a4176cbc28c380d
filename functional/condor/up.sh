#!/usr/bin/env bash
# Starts a real HTCondor pool on loopback, out of the chroot that bootstrap.sh made. Safe to run again: what runs is left alone.
#   up.sh                                          central manager and schedd, no slots
#   up.sh worker NAME [CPUS [MEMORY_MB [GPUS [FPGAS]]]]   a stand-in for a VM: its own condor_master, warm until it is joined
# Prints one line when it is ready: "NAME pid PID". README.md lists the environment variables.
set -euo pipefail
umask 022 # the daemons run as other users
# shellcheck source=functional/condor/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
WORKER_CONF=$HERE/../../elasticpool/condor/worker.conf

[ -x "$ROOT/usr/sbin/condor_master" ] || die "no HTCondor in $CONDOR_DIR: run bootstrap.sh first"

tool() { inside CONDOR_CONFIG="$BASE/central/config" "$@"; }

# prepare: the chroot's users, one for each queue, and its /proc.
prepare() {
  local queue
  mount_proc
  for queue in $CONDOR_QUEUES; do
    inside id "$queue" >/dev/null 2>&1 || inside useradd --create-home --shell /bin/sh "$queue"
  done
}

# folders NAME: an instance's, with the owners that HTCondor wants.
folders() {
  local dir=$ROOT$BASE/$1
  mkdir -p "$dir"/{log,spool,execute,lock,run,tokens.d,cred,passwords.d}
  chmod 755 "$ROOT$BASE" "$dir" "$dir"/{log,spool,execute,lock,run}
  chmod 700 "$dir"/{tokens.d,cred,passwords.d}
  inside chown condor:condor "$BASE/$1"/{log,spool,execute,lock,run}
}

# common NAME ADDRESS: what every instance's configuration begins with.
common() {
  cat <<CFG
RELEASE_DIR = /usr
BIN = /usr/bin
SBIN = /usr/sbin
LIB = /usr/lib/condor
LIBEXEC = /usr/libexec/condor
SHARE = /usr/share/condor
LOCAL_DIR = $BASE/$1
LOG = \$(LOCAL_DIR)/log
SPOOL = \$(LOCAL_DIR)/spool
EXECUTE = \$(LOCAL_DIR)/execute
LOCK = \$(LOCAL_DIR)/lock
RUN = \$(LOCAL_DIR)/run
DAEMON_SOCKET_DIR = \$(LOCAL_DIR)/lock
REQUIRE_LOCAL_CONFIG_FILE = False
LOCAL_CONFIG_DIR =
CONDOR_HOST = 127.0.0.1
COLLECTOR_HOST = 127.0.0.1:$CONDOR_PORT
NETWORK_INTERFACE = $2
BIND_ALL_INTERFACES = False
ENABLE_IPV6 = False
NETWORK_HOSTNAME = $1.$CONDOR_POOL
UID_DOMAIN = elasticpool
FILESYSTEM_DOMAIN = elasticpool
TRUST_DOMAIN = elasticpool
TRUST_UID_DOMAIN = True
# several masters share this machine: none may take the pool's collector for a member of its own family
SEC_USE_FAMILY_SESSION = False
use security:recommended_v9_0
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, IDTOKENS
SEC_CLIENT_AUTHENTICATION_METHODS = FS, IDTOKENS
SEC_PASSWORD_DIRECTORY = \$(LOCAL_DIR)/passwords.d
SEC_TOKEN_SYSTEM_DIRECTORY = \$(LOCAL_DIR)/tokens.d
SEC_CREDENTIAL_DIRECTORY = \$(LOCAL_DIR)/cred
ALLOW_ADMINISTRATOR = root@elasticpool condor@elasticpool
ALLOW_WRITE = *@elasticpool
ALLOW_READ = *
CFG
}

central_config() {
  local queue
  common central 127.0.0.1
  cat <<CFG
DAEMON_LIST = MASTER, SHARED_PORT, COLLECTOR, NEGOTIATOR, SCHEDD
USE_SHARED_PORT = True
SHARED_PORT_PORT = $CONDOR_PORT
NEGOTIATOR_INTERVAL = 2
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
SCHEDD_INTERVAL = 2
SCHEDD_MIN_INTERVAL = 1
COLLECTOR_UPDATE_INTERVAL = 2
MASTER_UPDATE_INTERVAL = 2
GROUP_NAMES =$(for queue in $CONDOR_QUEUES; do printf ' group_%s' "$queue"; done)
GROUP_ACCEPT_SURPLUS = True
MAX_JOBS_PER_OWNER = 2000000
MAX_JOBS_PER_SUBMISSION = 2000000
${CENTRAL_EXTRA:-}
CFG
}

# gpus NAME COUNT: what condor_gpu_discovery -extra prints on a machine with such GPUs.
gpus() {
  local i
  printf 'DetectedGPUs="%s"\n' "$(seq -s', ' -f 'GPU-%02g' 1 "$2")"
  printf 'Common=[ Capability=%s; DeviceName="%s"; GlobalMemoryMb=%s; DriverVersion=12.4; ECCEnabled=true; ]\n' \
    "${WORKER_GPU_CAPABILITY:-8.0}" "${WORKER_GPU_NAME:-Test GPU}" "${WORKER_GPU_MEMORY_MB:-40960}"
  for i in $(seq -f '%02g' 1 "$2"); do
    printf 'GPU_%s=[ id="GPU-%s"; DevicePciBusId="0000:%s:00.0"; DeviceUuid="%s-%s"; ]\n' "$i" "$i" "$i" "$1" "$i"
  done
}

# worker_config NAME CPUS MEMORY GPUS FPGAS
worker_config() {
  common "$1" "${WORKER_ADDRESS:-127.0.0.1}"
  cat <<CFG
DAEMON_LIST = MASTER, STARTD
USE_SHARED_PORT = False
RUNBENCHMARKS = False
NUM_CPUS = $2
MEMORY = $3
UPDATE_INTERVAL = ${WORKER_INTERVAL:-2}
MASTER_UPDATE_INTERVAL = ${WORKER_INTERVAL:-2}
# in a chroot the starter can neither unshare mounts nor use cgroups
MOUNT_UNDER_SCRATCH =
MOUNT_PRIVATE_DEV_SHM = False
PER_JOB_NAMESPACES = False
USE_PID_NAMESPACES = False
BASE_CGROUP =
STARTER_ALLOW_RUNAS_OWNER = True
ElasticVM = "${WORKER_VM:-$1}"
ElasticPool = "${WORKER_POOL:-$CONDOR_POOL}"
CFG
  cat "$WORKER_CONF"
  if [ "$4" -gt 0 ]; then
    gpus "$1" "$4" >"$ROOT$BASE/$1/gpus"
    echo "MACHINE_RESOURCE_INVENTORY_GPUs = /bin/cat $BASE/$1/gpus"
    echo "ENVIRONMENT_FOR_AssignedGPUs = CUDA_VISIBLE_DEVICES"
  fi
  if [ "$5" -gt 0 ]; then echo "MACHINE_RESOURCE_FPGA = $(seq -s, -f 'FPGA%g' 0 $(($5 - 1)))"; fi
  printf '%s\n' "${WORKER_EXTRA:-}"
}

# running NAME: prints the pid of its condor_master.
running() {
  local pid
  pid=$(tr -d ' \n' 2>/dev/null <"$ROOT$BASE/$1/run/master.pid") && [ -n "$pid" ] && [ "/proc/$pid/root" -ef "$ROOT" ] &&
    grep --quiet --fixed-strings condor_master "/proc/$pid/comm" && echo "$pid"
}

# start NAME: its condor_master, detached.
start() {
  rm -f "$ROOT$BASE/$1/run/master.pid" "$ROOT$BASE/$1/log/.master_address"
  (
    cd /
    exec setsid chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
      CONDOR_CONFIG="$BASE/$1/config" condor_master -f -pidfile "$BASE/$1/run/master.pid" \
      </dev/null >>"$ROOT$BASE/$1/log/stdout" 2>&1
  ) &
  await 10 running "$1" || die "$1 did not start: $(tail -n 5 "$ROOT$BASE/$1/log/MasterLog" 2>&1)"
}

# await SECONDS CMD...: until it succeeds and prints something.
await() {
  local limit=$((SECONDS + $1))
  shift
  until "$@" 2>/dev/null | grep --quiet .; do
    [ "$SECONDS" -lt "$limit" ] || return 1
    sleep 0.1
  done
}

central() {
  folders central
  central_config >"$ROOT$BASE/central/config"
  # the key with which tokens are signed; made once for a pool
  if [ ! -s "$ROOT$BASE/central/passwords.d/POOL" ]; then
    head -c 64 /dev/urandom | base64 -w0 >"$ROOT$BASE/central/passwords.d/POOL"
    chmod 600 "$ROOT$BASE/central/passwords.d/POOL"
  fi
  start central
  await 30 tool condor_status -schedd -af Name || die "the schedd is not in the collector; see $ROOT$BASE/central/log"
  tool condor_token_create -identity condor@elasticpool -authz ADVERTISE_MASTER -authz ADVERTISE_STARTD -authz READ -authz DAEMON \
    -lifetime 86400 >"$ROOT$BASE/central/worker.token"
  chmod 600 "$ROOT$BASE/central/worker.token"
}

worker() {
  local name=$1
  [ -s "$ROOT$BASE/central/worker.token" ] || die "the pool $CONDOR_POOL is not up"
  folders "$name"
  install -m 600 "$ROOT$BASE/central/worker.token" "$ROOT$BASE/$name/tokens.d/pool"
  worker_config "$name" "${2:-1}" "${3:-1024}" "${4:-0}" "${5:-0}" >"$ROOT$BASE/$name/config"
  start "$name"
}

# known NAME: its master is in the collector.
known() { tool condor_status -master -constraint "Name == \"$1.$CONDOR_POOL\"" -af Name; }

case ${1:-central} in
central)
  running central >/dev/null || {
    locked prepare
    central
  }
  echo "central pid $(running central)"
  ;;
worker)
  name=${2:-}
  case $name in '' | central | *[!A-Za-z0-9-]*) die "no name of a worker: $name" ;; esac
  running "$name" >/dev/null || worker "${@:2}"
  [ "${WORKER_WAIT:-1}" = 0 ] || await 30 known "$name" || die "$name is not in the collector; see $ROOT$BASE/$name/log"
  echo "$name pid $(running "$name")"
  ;;
*) die "usage: up.sh [worker NAME [CPUS [MEMORY_MB [GPUS [FPGAS]]]]]" ;;
esac
