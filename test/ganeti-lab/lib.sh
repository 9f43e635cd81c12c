# shellcheck shell=bash disable=SC2034
# Names of everything the lab makes, all from LAB_INDEX, so that a second cluster is a second index.

LAB_INDEX=${LAB_INDEX:-0}
[[ $LAB_INDEX =~ ^[0-9]{1,2}$ ]] || { echo "ganeti-lab: LAB_INDEX must be 0 to 99" >&2; exit 64; }
LAB_INDEX=$((10#$LAB_INDEX))

LAB_NAME=lab
((LAB_INDEX == 0)) || LAB_NAME=lab$LAB_INDEX

LAB_NETNS=ganeti-$LAB_NAME
LAB_VETH=g-$LAB_NAME
LAB_ROOT=/var/lib/ganeti-lab/$LAB_NAME # stands in for the cluster's /etc/ganeti, /var/lib/ganeti, /srv, …
LAB_PINS=/run/ganeti-lab/$LAB_NAME     # holds the mount and UTS namespaces open

LAB_NET=198.18.$((77 + LAB_INDEX)) # inside the benchmarking range 198.18.0.0/15
LAB_HOST_ADDRESS=$LAB_NET.1
LAB_CLUSTER_ADDRESS=$LAB_NET.10
LAB_NODE_ADDRESS=$LAB_NET.11
LAB_CLUSTER=cluster.$LAB_NAME.test
LAB_NODE=node1.$LAB_NAME.test

LAB_BRIDGES=(br0 prv0)
LAB_OSES=(labimage+default labfail noop)
LAB_ALLOCATOR=lab-hail
LAB_RAPI_USER=graphql
LAB_ENDPOINT=https://$LAB_NODE_ADDRESS:5080

say() { echo "ganeti-lab: $*" >&2; }
die() { say "$*"; exit 1; }
refuse() { say "$*"; exit 3; }

# Ganeti daemons and OS scripts must not inherit the caller's environment (proxies, secrets, locale).
clean_env() {
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LC_ALL=C TERM="${TERM:-dumb}" LAB_INDEX="$LAB_INDEX" "$@"
}
