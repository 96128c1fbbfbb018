# Shared by the set-up scripts. Sourced, never run.

say() { printf '%s\n' "$*" >&2; }

give_up() {
  say "companion: $*"
  exit 1
}

# Prints how to run a command as root here: nothing for root, "sudo -n" where sudo asks no password.
# Fails where a person has to be asked.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    return 0
  fi
  command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1 && echo "sudo -n"
}

# apt_install PACKAGE...: installs Debian packages without a question, or fails.
apt_install() {
  command -v apt-get >/dev/null 2>&1 || return 1
  root=$(as_root) || return 1
  say "companion: installing from the system's packages: $*"
  $root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null >&2 || return 1
  $root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" </dev/null >&2
}
