"""A real proxy in front of the app: the shipped configuration, on ports of this machine."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lab.patience import PATIENCE, until
from lab.servers.program import HOST, REPOSITORY, free_port

DEPLOY = REPOSITORY / "deploy"
NAME = "games.example.org"
WORD = "meeple"  # the word of `club`, without which the proxies let nobody start a table
CHAIN = "fullchain.pem"
LOG = "access.log"  # the certificate and nginx's log in the folder of `running`


def certificate(folder: Path, name: str = NAME) -> tuple[Path, Path]:
    """A certificate for a name and its key, signed by itself."""
    key, chain = folder / "privkey.pem", folder / CHAIN
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", key, "-out", chain, "-days", "2", "-subj", f"/CN={name}",
         "-addext", f"subjectAltName=DNS:{name}"],
        check=True, capture_output=True,
    )  # fmt: skip
    return chain, key


def password_hash(*program: str) -> str:
    """The hash of `WORD` that a program makes for a proxy's configuration."""
    return subprocess.check_output([*program, WORD], text=True).strip()


def changed(file: str, changes: Mapping[str, str]) -> str:
    """A shipped configuration with other words, each of which it must have."""
    text = (DEPLOY / file).read_text()
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def nginx(folder: Path, app: int, changes: Mapping[str, str]) -> tuple[list[str], int]:
    """The command that runs nginx with `deploy/nginx.conf`, and its https port."""
    chain, key = certificate(folder)
    port = free_port()
    words = folder / "words"
    words.write_text(f"club:{password_hash('openssl', 'passwd', '-apr1')}\n")
    here = {
        "#word ": "",
        "/etc/nginx/companion.words": str(words),
        "server 127.0.0.1:8000;": f"server {HOST}:{app};",
        "listen 80;": f"listen {HOST}:{free_port()};",
        "listen [::]:80;": "",
        "listen 443 ssl http2;": f"listen {HOST}:{port} ssl http2;",
        "listen [::]:443 ssl http2;": f"listen [::1]:{port} ssl http2;",
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(chain),
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(key),
        "/var/log/nginx/companion.log": str(folder / LOG),
        "/var/log/nginx/companion-errors.log": "stderr",
    }
    places = "".join(
        f"{kind}_temp_path {folder / kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = folder / "nginx.conf"
    main.write_text(
        # Started by root, its workers would be a user who cannot read the words.
        f"user {getpass.getuser()};\npid {folder / 'pid'};\nerror_log stderr;\ndaemon off;\n"
        "events { worker_connections 8192; }\n"
        f"http {{\n{places}{changed('nginx.conf', {**here, **changes})}\n}}\n"
    )
    return ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(main)], port


GLOBAL = (
    "{{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n"
    "\tstorage file_system {}\n"
)
"""Caddy's global options with which it leaves the machine's ports and trusted roots alone."""


def caddy(folder: Path, app: int, changes: Mapping[str, str]) -> tuple[list[str], int]:
    """The command that runs Caddy with `deploy/Caddyfile`, and its https port."""
    chain, key = certificate(folder)
    port = free_port()
    here = {
        "#word ": "",
        "club HASH": f"club {password_hash('caddy', 'hash-password', '--plaintext')}",
        "reverse_proxy 127.0.0.1:8000": f"reverse_proxy {HOST}:{app}",
        "\n{\n": f"\n{GLOBAL.format(folder)}",
        f"\n{NAME} {{\n": f"\n{NAME}:{port} {{\n\tbind {HOST} ::1\n\ttls {chain} {key}\n",
    }
    return _caddy(folder, changed("Caddyfile", {**here, **changes})), port


def home(folder: Path, app: int, changes: Mapping[str, str]) -> tuple[list[str], int]:
    """The command that runs Caddy with `deploy/home.Caddyfile`, and its https port."""
    port = free_port()
    here = {
        "\n192.168.1.20 {\n": f"\n{GLOBAL.format(folder)}}}\n{HOST}:{port} {{\n\tbind {HOST}\n",
        "127.0.0.1:8000": f"{HOST}:{app}",
    }
    return _caddy(folder, changed("home.Caddyfile", {**here, **changes})), port


def _caddy(folder: Path, text: str) -> list[str]:
    path = folder / "Caddyfile"
    path.write_text(text)
    return ["caddy", "run", "--config", str(path), "--adapter", "caddyfile"]


PROXIES = {"nginx": nginx, "caddy": caddy, "home": home}


@contextmanager
def running(name: str, folder: Path, app: int, changes: Mapping[str, str] | None) -> Iterator[int]:
    """One of `PROXIES` in front of the app's port, with changed words; yields its https port."""
    command, port = PROXIES[name](folder, app, changes or {})
    log = folder / "proxy.log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            [executable(command[0]), *command[1:]], stdin=subprocess.DEVNULL, stdout=said,
            stderr=said, env={"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin:/bin"},
        )  # fmt: skip
    try:
        ready = until(lambda: answers(HOST, port) or process.poll() is not None)
        assert ready and process.poll() is None, log.read_text()
        yield port
    finally:
        process.terminate()
        process.wait()


def answers(host: str, port: int) -> bool:
    """Whether anybody listens there."""
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except OSError:
        return False
    return True


def executable(program: str) -> str:
    """The path of a program, also where only root has it in its PATH; empty without it."""
    return shutil.which(program) or shutil.which(program, path="/usr/sbin") or ""
