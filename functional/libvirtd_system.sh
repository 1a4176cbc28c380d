#!/usr/bin/env bash
# Runs the libvirt daemon of the whole machine, qemu:///system, for tests: as root, with its socket FOLDER/libvirt/libvirt-sock and all
# its other files in a mount namespace that goes with it, so that the machine's own daemon and guests are not touched.
#
#   libvirtd_system.sh FOLDER
set -euo pipefail

folder=$1
if [ "${2:-}" != inside ]; then
  exec unshare --mount --propagation private bash "${BASH_SOURCE[0]}" "$folder" inside
fi

for place in /run /etc/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt; do
  mkdir -p "$place"
  mount -t tmpfs tmpfs "$place"
done
# Debian's libvirt looks for this user, which only the package of the machine's daemon makes.
for file in passwd group; do
  cp "/etc/$file" "/run/$file"
done
grep -q '^libvirt-qemu:' /run/passwd || echo libvirt-qemu:x:64055:64055::/:/bin/false >>/run/passwd
grep -q '^libvirt-qemu:' /run/group || echo libvirt-qemu:x:64055: >>/run/group
mount --bind /run/passwd /etc/passwd
mount --bind /run/group /etc/group

cat >/etc/libvirt/qemu.conf <<EOC
user = "root"
group = "root"
dynamic_ownership = 0
security_driver = "none"
stdio_handler = "file"
cgroup_controllers = []
namespaces = []
EOC
mkdir -p "$folder/libvirt"
cat >/etc/libvirt/libvirtd.conf <<EOC
unix_sock_dir = "$folder/libvirt"
auth_unix_rw = "none"
auth_unix_ro = "none"
EOC
exec libvirtd --config /etc/libvirt/libvirtd.conf
