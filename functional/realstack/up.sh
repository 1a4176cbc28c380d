#!/usr/bin/env bash
# Configures and starts the cloud that bootstrap.sh installed, waits until every part answers, and leaves openrc and
# clouds.yaml in the folder. Safe to run again; starts only what is not running.
#   up.sh [DIR]     (DIR as in bootstrap.sh)
# REALSTACK_STAGE=1 leaves Nova and Glance out; in Nova's place a stub (stub.py) takes Cyborg's events.
# REALSTACK_NOVA_CYBORG_URL=http://127.0.0.1:PORT/v2 lets Nova ask another Cyborg (a fake, a recording proxy)
# instead of the real one, and REALSTACK_CYBORG_NOVA_URL=http://127.0.0.1:PORT/v2.1 the same for what Cyborg tells Nova.
# To change one while it runs: down.sh DIR nova-api nova-conductor nova-compute cyborg-conductor, then up.sh.
# REALSTACK_SECOND_HOST=NAME runs Cyborg's agent for another host too, which has no nova-compute.
# REALSTACK_ARQ_BINDING_TIMEOUT is how long nova-compute waits for ARQs to be bound (60 s here, Nova's own default is 300).
set -euo pipefail
# shellcheck source=functional/realstack/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

[ -x "$ROOT/usr/bin/cyborg-conductor" ] || die "no stack in $REALSTACK_DIR: run bootstrap.sh first"
mkdir -p "$RUN" "$LOG"
mount_proc

KEYSTONE=http://127.0.0.1:$PORT_KEYSTONE
PLACEMENT=http://127.0.0.1:$PORT_PLACEMENT
CYBORG=http://127.0.0.1:$PORT_CYBORG
NOVA=http://127.0.0.1:$PORT_NOVA
GLANCE=http://127.0.0.1:$PORT_GLANCE
NEUTRON=http://127.0.0.1:$PORT_NEUTRON
RABBIT=rabbit://guest:guest@127.0.0.1:$PORT_RABBIT/
REGION=RegionOne
# Same on every machine, so that placement's tree is: host RP (this uuid) -> cyborg's RP
uuid_of() { python3 -c 'import sys, uuid; print(uuid.uuid5(uuid.NAMESPACE_DNS, sys.argv[1]))' "$1"; }
HOST_RP=$(uuid_of "$REALSTACK_HOST")

# ---- configuration -------------------------------------------------------------------------------------

db() { echo "mysql+pymysql://$1:$REALSTACK_PASSWORD@localhost/$1?unix_socket=/run/mysqld/mysqld.sock&charset=utf8mb4"; }

# conf OWNER PATH: standard input becomes a config file readable by that service alone
conf() {
  install -D -m 640 -o root -g "$(inside id -g "$1")" /dev/stdin "$ROOT$2"
}

# login SECTION USER: keystoneauth options of a service user
login() {
  cat <<C

[$1]
auth_type = password
auth_url = $KEYSTONE/v3
username = $2
password = $REALSTACK_PASSWORD
user_domain_name = Default
project_name = service
project_domain_name = Default
region_name = $REGION
C
}

# authtoken USER: how a service checks tokens; a service token counts only with the role "service"
authtoken() {
  login keystone_authtoken "$1"
  cat <<C
www_authenticate_uri = $KEYSTONE
service_token_roles = service
service_token_roles_required = True
C
}

configure() {
  conf keystone /etc/keystone/keystone.conf <<C
[DEFAULT]
debug = $REALSTACK_DEBUG
[database]
connection = $(db keystone)
max_pool_size = 5
[token]
provider = fernet
[fernet_tokens]
max_active_keys = 3
# the password is no secret, and logins are most of what a test waits for
[identity]
password_hash_rounds = 4
[cache]
enabled = True
backend = dogpile.cache.memory
[oslo_policy]
policy_dirs = /etc/keystone/policy.d
C

  {
    cat <<C
[DEFAULT]
debug = $REALSTACK_DEBUG
[api]
auth_strategy = keystone
[placement_database]
connection = $(db placement)
max_pool_size = 5
C
    authtoken placement
  } | conf placement /etc/placement/placement.conf

  {
    cat <<C
[DEFAULT]
debug = $REALSTACK_DEBUG
host = $REALSTACK_HOST
transport_url = $RABBIT
state_path = /var/lib/cyborg
periodic_interval = 10
[agent]
enabled_drivers = fake_driver
[api]
public_endpoint = $CYBORG
[database]
connection = $(db cyborg)
max_pool_size = 5
[oslo_policy]
policy_dirs = /etc/cyborg/policy.d
C
    authtoken cyborg
    login placement cyborg
    login nova cyborg
    [ -z "${REALSTACK_CYBORG_NOVA_URL:-}" ] || echo "endpoint_override = $REALSTACK_CYBORG_NOVA_URL"
    login service_user cyborg
  } | conf cyborg /etc/cyborg/cyborg.conf

  [ "$REALSTACK_STAGE" -ge 2 ] || return 0

  {
    cat <<C
[DEFAULT]
debug = $REALSTACK_DEBUG
enabled_backends = fs:file
[glance_store]
default_backend = fs
[fs]
filesystem_store_datadir = /var/lib/glance/images
[database]
connection = $(db glance)
max_pool_size = 5
[paste_deploy]
flavor = keystone
[oslo_concurrency]
lock_path = /var/lib/glance/lock
C
    authtoken glance
  } | conf glance /etc/glance/glance-api.conf

  {
    cat <<C
[DEFAULT]
debug = $REALSTACK_DEBUG
host = $REALSTACK_HOST
my_ip = 127.0.0.1
transport_url = $RABBIT
state_path = /var/lib/nova
enabled_apis = osapi_compute
compute_driver = fake.FakeDriverWithoutFakeNodes
heal_instance_info_cache_interval = -1
vif_plugging_is_fatal = False
vif_plugging_timeout = 0
sync_power_state_interval = -1
shelved_offload_time = -1
arq_binding_timeout = ${REALSTACK_ARQ_BINDING_TIMEOUT:-60}
[api]
auth_strategy = keystone
[api_database]
connection = $(db nova_api)
max_pool_size = 5
[database]
connection = $(db nova)
max_pool_size = 5
[conductor]
workers = 1
[scheduler]
workers = 1
discover_hosts_in_cells_interval = 30
[vnc]
enabled = False
[spice]
enabled = False
[oslo_concurrency]
lock_path = /var/lib/nova/lock
[oslo_policy]
policy_dirs = /etc/nova/policy.d
C
    authtoken nova
    login placement nova
    login glance nova
    login neutron nova
    login cyborg nova
    [ -z "${REALSTACK_NOVA_CYBORG_URL:-}" ] || echo "endpoint_override = $REALSTACK_NOVA_CYBORG_URL"
    login service_user nova
    echo "send_service_user_token = True"
  } | conf nova /etc/nova/nova.conf
  install -D -m 644 /dev/stdin "$ROOT/var/lib/nova/compute_id" <<<"$HOST_RP"
  install -d -o "$(inside id -u nova)" -g "$(inside id -g nova)" "$ROOT/var/lib/nova" "$ROOT/var/lib/nova/lock"
  install -d -o "$(inside id -u glance)" -g "$(inside id -g glance)" "$ROOT/var/lib/glance/images" "$ROOT/var/lib/glance/lock"
}

# ---- starting ------------------------------------------------------------------------------------------

answers() { curl -sf -o /dev/null --max-time 5 "$@"; }

# once NAME CMD...: a step that is done only the first time
once() {
  [ ! -e "$REALSTACK_DIR/.done-$1" ] || return 0
  say "$1"
  "${@:2}" >>"$LOG/setup.log" 2>&1 || {
    tail -n 15 "$LOG/setup.log" >&2
    die "$1 failed, see $LOG/setup.log"
  }
  touch "$REALSTACK_DIR/.done-$1"
}

# wsgi NAME USER PORT FILE MODULE [UWSGI OPTION...]
# Older releases ship the application as a script, newer ones as a module.
wsgi() {
  local app=(--module "$5:application")
  if [ -e "$ROOT$4" ]; then app=(--wsgi-file "$4"); fi
  start "$1" "$2" OS_OSLO_MESSAGING_RABBIT__PROCESSNAME="$1" /usr/bin/uwsgi-core --plugin python3 --need-app \
    --http-socket "127.0.0.1:$3" "${app[@]}" --enable-threads --threads 8 --die-on-term \
    --buffer-size 65535 --add-header 'Connection: close' --listen 100 "${@:6}"
}

database_server() {
  install -d -o "$(inside id -u mysql)" -g "$(inside id -g mysql)" "$ROOT/run/mysqld"
  [ -d "$ROOT/var/lib/mysql/mysql" ] || inside mariadb-install-db --user=mysql --datadir=/var/lib/mysql >>"$LOG/setup.log" 2>&1
  start mariadb mysql /usr/sbin/mariadbd --no-defaults --datadir=/var/lib/mysql --skip-networking \
    --socket=/run/mysqld/mysqld.sock --pid-file=/run/mysqld/mysqld.pid --innodb-buffer-pool-size=64M \
    --innodb-flush-log-at-trx-commit=0 --skip-log-bin --performance-schema=OFF --max-connections=300 \
    --character-set-server=utf8mb4
}

create_databases() { database_commands | inside mariadb --socket=/run/mysqld/mysqld.sock; }

database_commands() {
  local d
  for d in keystone placement cyborg glance nova nova_api nova_cell0; do
    echo "CREATE DATABASE IF NOT EXISTS $d CHARACTER SET utf8mb3;"
    echo "CREATE USER IF NOT EXISTS '$d'@'localhost' IDENTIFIED BY '$REALSTACK_PASSWORD';"
    echo "GRANT ALL ON $d.* TO '$d'@'localhost';"
  done
  echo "GRANT ALL ON nova_cell0.* TO 'nova'@'localhost';"
}

message_broker() {
  install -d -o "$(inside id -u rabbitmq)" -g "$(inside id -g rabbitmq)" "$ROOT/var/lib/rabbitmq" "$ROOT/var/log/rabbitmq"
  start epmd rabbitmq /usr/bin/epmd -address 127.0.0.1 -port "$PORT_EPMD"
  start rabbitmq rabbitmq HOME=/var/lib/rabbitmq RABBITMQ_ALLOW_INPUT=1 RABBITMQ_NODENAME=rabbit@localhost \
    RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT="$PORT_RABBIT" RABBITMQ_DIST_PORT="$PORT_RABBIT_DIST" \
    ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT="$PORT_EPMD" RABBITMQ_LOGS=- \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-noinput +S 1:1 -kernel inet_dist_use_interface {127,0,0,1}" \
    /usr/lib/rabbitmq/bin/rabbitmq-server
}

rabbit_answers() { exec 9<>"/dev/tcp/127.0.0.1/$PORT_RABBIT" && exec 9>&-; }

identity_setup() {
  inside keystone-manage db_sync
  inside keystone-manage fernet_setup --keystone-user keystone --keystone-group keystone
  inside keystone-manage credential_setup --keystone-user keystone --keystone-group keystone
  inside keystone-manage bootstrap --bootstrap-username admin --bootstrap-password "$REALSTACK_PASSWORD" \
    --bootstrap-project-name admin --bootstrap-role-name admin --bootstrap-service-name keystone \
    --bootstrap-region-id $REGION --bootstrap-public-url "$KEYSTONE/v3" --bootstrap-internal-url "$KEYSTONE/v3" \
    --bootstrap-admin-url "$KEYSTONE/v3"
}

seed() {
  install -D -m 644 "$HERE/seed.py" "$ROOT/var/lib/realstack/seed.py"
  inside OS_AUTH_URL="$KEYSTONE/v3" OS_USERNAME=admin OS_PASSWORD="$REALSTACK_PASSWORD" OS_PROJECT_NAME=admin \
    OS_USER_DOMAIN_NAME=Default OS_PROJECT_DOMAIN_NAME=Default OS_REGION_NAME=$REGION OS_IDENTITY_API_VERSION=3 \
    python3 /var/lib/realstack/seed.py "$@"
}

cells() {
  inside nova-manage cell_v2 map_cell0 --database_connection "$(db nova | sed 's#localhost/nova?#localhost/nova_cell0?#')"
  inside nova-manage db sync
  inside nova-manage cell_v2 create_cell --name cell1
}

# cloud USER PROJECT: an entry of clouds.yaml
cloud() {
  cat <<C
  $1:
    region_name: $REGION
    auth:
      auth_url: $KEYSTONE/v3
      username: $1
      password: $REALSTACK_PASSWORD
      project_name: $2
      user_domain_name: Default
      project_domain_name: Default
C
}

# ---- the whole -----------------------------------------------------------------------------------------

unheld keystone "$PORT_KEYSTONE"
unheld placement "$PORT_PLACEMENT"
unheld cyborg-api "$PORT_CYBORG"
unheld rabbitmq "$PORT_RABBIT"
unheld rabbitmq "$PORT_RABBIT_DIST"
unheld epmd "$PORT_EPMD"
if [ "$REALSTACK_STAGE" -lt 2 ]; then
  unheld nova-stub "$PORT_NOVA"
else
  [ -e "$RUN/nova-stub.pid" ] || unheld nova-api "$PORT_NOVA"
  unheld glance "$PORT_GLANCE"
  unheld neutron "$PORT_NEUTRON"
fi

configure
install -d -m 1777 "$ROOT/var/lib/realstack" "$ROOT/dev/shm"

database_server
message_broker
await mariadb inside mariadb --socket=/run/mysqld/mysqld.sock -e 'select 1'
once databases create_databases
once keystone-db identity_setup
wsgi keystone keystone "$PORT_KEYSTONE" /usr/bin/keystone-wsgi-public keystone.wsgi.api
once placement-db inside placement-manage db sync
once cyborg-db inside cyborg-dbsync upgrade
await keystone answers "$KEYSTONE/v3"
await rabbitmq rabbit_answers

once catalog seed catalog "placement=$PLACEMENT" "accelerator=$CYBORG/v2" "compute=$NOVA/v2.1" "image=$GLANCE" \
  "network=$NEUTRON"
install -D -m 644 "$HERE/stub.py" "$ROOT/var/lib/realstack/stub.py"
if [ "$REALSTACK_STAGE" -lt 2 ]; then
  wsgi nova-stub cyborg "$PORT_NOVA" /var/lib/realstack/stub.py - --callable nova
elif [ -e "$RUN/nova-stub.pid" ]; then
  stop nova-stub
fi

wsgi placement placement "$PORT_PLACEMENT" /usr/bin/placement-api placement.wsgi.api
await placement answers "$PLACEMENT/"
once host-provider seed provider "$REALSTACK_HOST" "$HOST_RP"

start cyborg-conductor cyborg /usr/bin/cyborg-conductor
wsgi cyborg-api cyborg "$PORT_CYBORG" /usr/bin/cyborg-wsgi-api cyborg.wsgi.api
await cyborg-api answers "$CYBORG/"
start cyborg-agent cyborg /usr/bin/cyborg-agent
if [ -n "${REALSTACK_SECOND_HOST:-}" ]; then
  once second-host-provider seed provider "$REALSTACK_SECOND_HOST" "$(uuid_of "$REALSTACK_SECOND_HOST")"
  start cyborg-agent-2 cyborg OS_DEFAULT__HOST="$REALSTACK_SECOND_HOST" /usr/bin/cyborg-agent
fi
await cyborg-agent seed devices

if [ "$REALSTACK_STAGE" -ge 2 ]; then
  once glance-db inside glance-manage db_sync
  wsgi glance glance "$PORT_GLANCE" /usr/bin/glance-wsgi-api glance.wsgi.api
  wsgi neutron nova "$PORT_NEUTRON" /var/lib/realstack/stub.py - --callable neutron
  once nova-api-db inside nova-manage api_db sync
  once nova-cells cells
  start nova-conductor nova /usr/bin/nova-conductor
  start nova-scheduler nova /usr/bin/nova-scheduler
  # several at a time, but not in threads: eventlet switches between them, and then no request gets an answer
  wsgi nova-api nova "$PORT_NOVA" /usr/bin/nova-api-wsgi nova.wsgi.osapi_compute --threads 1 --processes 4
  start nova-compute nova /usr/bin/python3 -c \
    'import sys; sys.argv[0] = "nova-compute"; from nova.cmd.compute import main; main()'
  await neutron answers "$NEUTRON/"
  await glance answers "$GLANCE/healthcheck"
  await nova-api answers "$NOVA/"
  await nova-compute seed compute "$HOST_RP"
  once nova-host-mapping inside nova-manage cell_v2 discover_hosts
fi

cat >"$REALSTACK_DIR/openrc" <<C
export OS_AUTH_URL=$KEYSTONE/v3
export OS_IDENTITY_API_VERSION=3
export OS_REGION_NAME=$REGION
export OS_USERNAME=admin
export OS_PASSWORD=$REALSTACK_PASSWORD
export OS_PROJECT_NAME=admin
export OS_USER_DOMAIN_NAME=Default
export OS_PROJECT_DOMAIN_NAME=Default
export REALSTACK_CYBORG_URL=$CYBORG/v2
export REALSTACK_PLACEMENT_URL=$PLACEMENT
export REALSTACK_HOST=$REALSTACK_HOST
export REALSTACK_HOST_RP=$HOST_RP
export REALSTACK_NOVA_URL=$NOVA/v2.1
export REALSTACK_GLANCE_URL=$GLANCE
C
{
  echo "clouds:"
  cloud admin admin
  cloud demo demo
  cloud demo-reader demo
  cloud other other
  cloud nova service
} >"$REALSTACK_DIR/clouds.yaml"
say "the cloud is up (stage $REALSTACK_STAGE): $REALSTACK_DIR/openrc, $REALSTACK_DIR/clouds.yaml"
