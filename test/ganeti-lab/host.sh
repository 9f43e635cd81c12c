# shellcheck shell=bash
# What happens on the host: packages, namespaces, clean-up, description.

PACKAGES=(ganeti ganeti-os-noop iproute2 curl openssl)

require_root_on_debian() {
  [[ $(id -u) == 0 ]] || refuse "needs root (it makes namespaces and installs packages)"
  [[ $(. /etc/os-release 2>/dev/null && echo "${ID:-}") == debian ]] ||
    refuse "needs Debian (it uses Debian's ganeti package)"
}

# --- packages ---------------------------------------------------------------------------------------------------------

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

install_packages() {
  local missing=() package had_ssh=no
  for package in "${PACKAGES[@]}"; do installed "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0
  if installed openssh-server; then had_ssh=yes; fi
  say "installing ${missing[*]}"
  without_starting_daemons apt_install "${missing[@]}"
  # Nor may anything start at the next boot of the host.
  quietly update-rc.d ganeti disable
  [[ $had_ssh == yes ]] || quietly update-rc.d ssh disable
}

apt_install() {
  local apt=(apt-get -qq -o DPkg::Lock::Timeout=180)
  export DEBIAN_FRONTEND=noninteractive
  quietly "${apt[@]}" update || { sleep 5; quietly "${apt[@]}" update; }
  # The package's cron file would run the watcher on the host every five minutes.
  quietly "${apt[@]}" install -y --no-install-recommends -o Dpkg::Options::=--path-exclude=/etc/cron.d/ganeti "$@"
}

# Output only on failure.
quietly() {
  local output
  output=$("$@" </dev/null 2>&1) || { local code=$?; echo "$output" >&2; return "$code"; }
}

# Runs "$@" while policy-rc.d forbids every start, and puts the host's own policy back.
without_starting_daemons() (
  policy=/usr/sbin/policy-rc.d
  if [[ -x $policy ]]; then
    verdict=0
    "$policy" ganeti start >/dev/null 2>&1 || verdict=$?
    if ((verdict == 101)); then
      "$@"
      exit
    fi
  fi
  saved=$(mktemp -d /usr/sbin/policy-rc.d.ganeti-lab.XXXXXX)
  [[ ! -e $policy ]] || cp -a "$policy" "$saved/policy-rc.d"
  trap 'rm -f "$policy"; [[ ! -e $saved/policy-rc.d ]] || mv "$saved/policy-rc.d" "$policy"; rmdir "$saved"' EXIT
  trap 'exit 130' INT TERM
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  "$@"
)

refuse_a_real_node() {
  [[ ! -e /var/lib/ganeti/server.pem ]] || refuse "this host is a node of a real Ganeti cluster"
}

# --- network ----------------------------------------------------------------------------------------------------------

default_routes() { ip -4 route show default; ip -6 route show default; }

# A route of ours over somebody's address would cut the host off, so the range must be free.
refuse_a_used_range() {
  local range=$LAB_NET.0/24 used
  used=$(ip -4 route show table all root "$range"; ip -4 route show table all match "$range" | grep -v '^default' || true)
  [[ -z $used ]] || refuse "$range is in use on this host: $used"
  ! { default_routes; cat /etc/resolv.conf; } | grep -qF " $LAB_NET." ||
    refuse "$range holds this host's gateway or name server"
}

make_network() {
  ip netns add "$LAB_NETNS"
  ip link add "$LAB_VETH" type veth peer name eth0 netns "$LAB_NETNS"
  ip addr add "$LAB_HOST_ADDRESS/24" dev "$LAB_VETH"
  ip link set "$LAB_VETH" up
}

# --- up ---------------------------------------------------------------------------------------------------------------

boot_or_clean() {
  local before
  refuse_a_used_range
  before=$(default_routes)
  mkdir -p "$LAB_ROOT"
  chmod 700 "$LAB_ROOT"
  if ! boot >"$LAB_ROOT/boot.log" 2>&1; then
    cat "$LAB_ROOT/boot.log" >&2
    clean_lab
    die "the cluster did not come up; everything was removed again"
  fi
  if [[ $(default_routes) != "$before" ]]; then
    clean_lab
    die "the host's default route changed; everything was removed again"
  fi
}

# A subshell of its own, because `set -e` is off inside a condition.
boot() { LAB_INDEX=$LAB_INDEX bash -euo pipefail -c 'source "$0/lib.sh"; source "$0/host.sh"; LAB_DIR=$0; boot_steps' "$LAB_DIR"; }

boot_steps() {
  stage_files
  make_network
  make_namespaces
  wait_for_rapi
  touch "$LAB_ROOT/ready"
}

stage_files() {
  (umask 077; openssl rand -hex 16 >"$LAB_ROOT/password")
  mkdir -p "$LAB_ROOT"/{etc,run/lock,var/lib,var/log,srv/ganeti/os,srv/ganeti/file-storage}
  chmod 1777 "$LAB_ROOT/run/lock"
  cp -a /etc/ganeti "$LAB_ROOT/etc/ganeti"
  cp -a /var/lib/ganeti "$LAB_ROOT/var/lib/ganeti"
  cp -a /var/log/ganeti "$LAB_ROOT/var/log/ganeti"
  cp -a /usr/lib/ganeti/iallocators "$LAB_ROOT/iallocators"
  cp -r "$LAB_DIR"/os/. "$LAB_ROOT/srv/ganeti/os/"
  # A checkout may lose the executable bit; Ganeti then drops the whole OS without a word.
  chmod 755 "$LAB_ROOT"/srv/ganeti/os/*/{create,import,export,rename,verify}
}

# The mount namespace gives the cluster its own /var/lib/ganeti and the like, so the host's stay untouched.
make_namespaces() {
  mkdir -p "$LAB_PINS"
  mount --bind "$LAB_PINS" "$LAB_PINS"
  mount --make-private "$LAB_PINS" # a mount namespace can be pinned only on a private mount
  touch "$LAB_PINS/mnt" "$LAB_PINS/uts"
  # setsid: the daemons must outlive the terminal this was typed in.
  clean_env setsid --wait nsenter --net="/run/netns/$LAB_NETNS" \
    unshare --mount="$LAB_PINS/mnt" --uts="$LAB_PINS/uts" --propagation slave \
    bash "$LAB_DIR/boot-inside.sh" </dev/null
}

enter_lab() {
  clean_env nsenter --net="/run/netns/$LAB_NETNS" --mount="$LAB_PINS/mnt" --uts="$LAB_PINS/uts" --wd=/ -- "$@"
}

rapi_answers() {
  # The password goes by stdin: arguments are visible to every user of the host.
  printf 'user = "%s:%s"\n' "$LAB_RAPI_USER" "$(<"$LAB_ROOT/password")" |
    curl --config - --silent --insecure --fail --noproxy '*' --max-time 5 --output /dev/null "$LAB_ENDPOINT/2/info"
}

# Half a minute: RAPI serves nobody for up to 20 s when a client holds all its connections.
wait_for_rapi() {
  local deadline=$((SECONDS + 30))
  until rapi_answers; do
    if ((SECONDS > deadline)); then
      echo "RAPI does not answer on $LAB_ENDPOINT" >&2
      return 1
    fi
    sleep 0.25
  done
}

# --- down -------------------------------------------------------------------------------------------------------------

# Only processes inside our own namespaces: those are the ones the lab started.
lab_pids() {
  {
    ip netns pids "$LAB_NETNS" 2>/dev/null || true
    # Those whose network namespace lost its name are found by the mount namespace.
    ! mountpoint -q "$LAB_PINS/mnt" 2>/dev/null ||
      find /proc/[0-9]*/ns/mnt -maxdepth 0 -lname "mnt:\\[$(stat -Lc %i "$LAB_PINS/mnt")\\]" 2>/dev/null | cut -d/ -f3 || true
  } | sort -un
}

end_processes() {
  local signal pids _
  for signal in TERM KILL; do
    mapfile -t pids < <(lab_pids)
    ((${#pids[@]})) || return 0
    kill -s "$signal" "${pids[@]}" 2>/dev/null || true
    for _ in {1..30}; do
      [[ -n $(lab_pids) ]] || return 0
      sleep 0.1
    done
  done
  say "some processes of the lab did not end: $(lab_pids | xargs)"
}

clean_lab() {
  local pin
  end_processes
  for pin in "$LAB_PINS/mnt" "$LAB_PINS/uts" "$LAB_PINS"; do
    while mountpoint -q "$pin" 2>/dev/null; do umount "$pin"; done
  done
  ! ip link show "$LAB_VETH" >/dev/null 2>&1 || ip link del "$LAB_VETH"
  [[ ! -e /run/netns/$LAB_NETNS ]] || ip netns del "$LAB_NETNS"
  rm -rf --one-file-system "$LAB_PINS" "$LAB_ROOT"
  rmdir --ignore-fail-on-non-empty "${LAB_PINS%/*}" "${LAB_ROOT%/*}" 2>/dev/null || true
  # `ip netns` mounts its folder on first use and again when it needs it.
  [[ -n $(ls -A /run/netns 2>/dev/null) ]] || { umount /run/netns && rmdir /run/netns; } 2>/dev/null || true
}

# --- what there is ----------------------------------------------------------------------------------------------------

booted() { mountpoint -q "$LAB_PINS/mnt" 2>/dev/null && [[ -e $LAB_ROOT/ready ]]; }

lab_state() {
  if booted && rapi_answers; then
    echo up
  elif [[ -e $LAB_PINS || -e $LAB_ROOT || -e /run/netns/$LAB_NETNS || -e /sys/class/net/$LAB_VETH ]]; then
    echo half-up
  else
    echo down
  fi
}

json_list() {
  local items
  items=$(printf '"%s", ' "$@")
  echo "[${items%, }]"
}

describe() {
  local fingerprint
  fingerprint=$(openssl x509 -in "$LAB_ROOT/var/lib/ganeti/rapi.pem" -noout -fingerprint -sha256)
  cat <<JSON
{
  "name": "$LAB_NAME",
  "endpoint": "$LAB_ENDPOINT",
  "username": "$LAB_RAPI_USER",
  "password": "$(<"$LAB_ROOT/password")",
  "fingerprint256": "${fingerprint#*=}",
  "hostAddress": "$LAB_HOST_ADDRESS",
  "cluster": "$LAB_CLUSTER",
  "node": "$LAB_NODE",
  "bridge": "${LAB_BRIDGES[0]}",
  "bridges": $(json_list "${LAB_BRIDGES[@]}"),
  "os": $(json_list "${LAB_OSES[@]}"),
  "namespace": "$LAB_NETNS",
  "subnet": "$LAB_NET.0/24"
}
JSON
}
