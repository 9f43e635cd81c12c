#!/usr/bin/env bash
# Runs once, inside the lab's fresh network, mount and UTS namespaces: makes the machine, then the cluster.
set -euo pipefail

# shellcheck source=lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

make_file_system() {
  # Copies of the host's namespace pins would keep another lab's namespaces alive after its `down`.
  umount --lazy --recursive /run/netns 2>/dev/null || true
  umount --lazy --recursive /run/ganeti-lab/*/ 2>/dev/null || true

  printf '%s\n' "127.0.0.1 localhost" \
    "$LAB_CLUSTER_ADDRESS $LAB_CLUSTER" "$LAB_NODE_ADDRESS $LAB_NODE ${LAB_NODE%%.*}" >"$LAB_ROOT/etc/hosts"
  printf 'RAPI_ARGS="-b %s --require-authentication"\n' "$LAB_NODE_ADDRESS" >"$LAB_ROOT/etc/default-ganeti"
  echo /srv/ganeti/file-storage >"$LAB_ROOT/etc/ganeti/file-storage-paths"
  # A single node always fails N+1, so plain hail would place nothing. (As an option in the
  # default allocator's parameters it breaks Ganeti 3.0.2.)
  printf '#!/bin/sh\nexec /usr/lib/ganeti/iallocators/hail --no-capacity-checks "$@"\n' \
    >"$LAB_ROOT/iallocators/$LAB_ALLOCATOR"
  chmod 755 "$LAB_ROOT/iallocators/$LAB_ALLOCATOR"

  local path
  for path in etc/hosts etc/ganeti var/lib/ganeti var/log/ganeti srv run; do
    mount --bind "$LAB_ROOT/$path" "/$path" # /run also hides a systemd that daemon-util would ask to start things
  done
  mount --bind "$LAB_ROOT/etc/default-ganeti" /etc/default/ganeti
  mount --bind "$LAB_ROOT/iallocators" /usr/lib/ganeti/iallocators
  mount -t sysfs sysfs /sys # Ganeti looks for bridges in /sys/class/net
}

make_links() {
  hostname "$LAB_NODE"
  ip link set lo up
  ip addr add "$LAB_NODE_ADDRESS/24" dev eth0
  ip link set eth0 up
  local bridge
  for bridge in "${LAB_BRIDGES[@]}"; do
    ip link add "$bridge" type bridge
    ip link set "$bridge" up
  done
}

make_cluster() {
  # The ratios: with the defaults a two-core host takes eight small instances and no more.
  gnt-cluster init --no-ssh-init --no-etc-hosts --enabled-hypervisors=fake --enabled-disk-templates=file,diskless \
    --file-storage-dir=/srv/ganeti/file-storage --master-netdev=eth0 \
    --nic-parameters="mode=bridged,link=${LAB_BRIDGES[0]}" --default-iallocator="$LAB_ALLOCATOR" \
    --ipolicy-vcpu-ratio=1000 --ipolicy-spindle-ratio=1000 "$LAB_CLUSTER"
  printf '%s %s write\n' "$LAB_RAPI_USER" "$(<"$LAB_ROOT/password")" >/var/lib/ganeti/rapi/users
}

make_file_system
make_links
make_cluster
