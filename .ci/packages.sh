#!/usr/bin/env bash
# Installs the peers that the project is checked against. None of these packages starts a service.
set -euo pipefail

packages=(
  ca-certificates
  chromium # looks at the fake's page
  curl
  debootstrap # chroots with newer peers
  dpkg-dev # apt-get source
  gcc # the race detector
  libc6-dev
  libvirt-clients # virsh, virt-xml-validate
  libvirt-daemon  # a libvirtd of its own for a test
  libvirt-daemon-driver-qemu
  libvirt0        # domain.rng, the test driver
  libxml2-utils   # xmllint, which virt-xml-validate runs
  python3 # the documents' small programs
  python3-cyborgclient
  python3-gabbi # Placement's own test suite is written for it
  python3-keystonemiddleware # what the real Cyborg puts in front of itself
  python3-openstackclient
  python3-openstacksdk
  python3-placement # placement-api as a plain program
  qemu-system-x86
  shellcheck
)
missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  apt=(apt-get --quiet --option DPkg::Lock::Timeout=300)
  [ "$(id -u)" -eq 0 ] || apt=(sudo --non-interactive "${apt[@]}")
  "${apt[@]}" update
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --yes --no-install-recommends "${missing[@]}"
fi

for program in chromium debootstrap dpkg-source gcc libvirtd openstack placement-api python3 virsh virt-xml-validate xmllint qemu-system-x86_64 shellcheck curl; do
  command -v "$program"
done
