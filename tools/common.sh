# Shared by the set-up scripts. Sourced, never run.

say() { printf '%s\n' "$*" >&2; }

give_up() {
  say "companion: $*"
  exit 1
}

# Programs that install show their progress to a person, and write no log of it.
quiet=-qq
[ ! -t 2 ] || quiet=

# Prints how to run a command as root here: nothing for root, "sudo -n" where sudo asks no password.
# Fails where a person has to be asked.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    return 0
  fi
  command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1 && echo "sudo -n"
}

# apt_get WORDS...: runs apt-get as root without a question, or fails.
apt_get() {
  command -v apt-get >/dev/null 2>&1 || return 1
  root=$(as_root) || return 1
  # shellcheck disable=SC2086  # words, or none
  $root env DEBIAN_FRONTEND=noninteractive apt-get $quiet "$@" </dev/null >&2
}

apt_update() { apt_get update; }
apt_install() { apt_get install -y --no-install-recommends "$@"; }
