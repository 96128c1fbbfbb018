"""A real proxy in front of the app: the shipped configuration, on ports of this machine."""

from __future__ import annotations

import getpass
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kit.patience import until
from tests.kit.servers.program import REPOSITORY, free_port
from tests.kit.servers.server import answers

DEPLOY = REPOSITORY / "deploy"
NAME = "games.example.org"
WORD = "meeple"
"""The word of `club`, without which the proxies let nobody start a table."""


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for `NAME` and its key, signed by itself."""
    key, chain = folder / "privkey.pem", folder / "fullchain.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", key, "-out", chain, "-days", "2", "-subj", f"/CN={NAME}",
         "-addext", f"subjectAltName=DNS:{NAME}"],
        check=True, capture_output=True,
    )  # fmt: skip
    return chain, key


def password_hash(*program: str) -> str:
    """The hash of `WORD` that a program makes for a proxy's configuration."""
    return subprocess.check_output([*program, WORD], text=True).strip()


def nginx(folder: Path, app: int) -> tuple[list[str], int]:
    """The command that runs nginx with `deploy/nginx.conf`, and its https port."""
    chain, key = certificate(folder)
    port = free_port()
    sites = (DEPLOY / "nginx.conf").read_text()
    words = folder / "words"
    words.write_text(f"club:{password_hash('openssl', 'passwd', '-apr1')}\n")
    for old, new in {
        "#word ": "",
        "/etc/nginx/companion.words": str(words),
        "server 127.0.0.1:8000;": f"server 127.0.0.1:{app};",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen [::]:80;": "",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{port} ssl http2;",
        "listen [::]:443 ssl http2;": f"listen [::1]:{port} ssl http2;",
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(chain),
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(key),
    }.items():
        assert old in sites, old
        sites = sites.replace(old, new)
    places = "".join(
        f"{kind}_temp_path {folder / kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = folder / "nginx.conf"
    main.write_text(
        # Started by root, its workers would be a user who may not read the words.
        f"user {getpass.getuser()};\npid {folder / 'pid'};\nerror_log stderr;\ndaemon off;\n"
        f"events {{}}\nhttp {{\n{places}{sites}\n}}\n"
    )
    return ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(main)], port


def caddy(folder: Path, app: int) -> tuple[list[str], int]:
    """The command that runs Caddy with `deploy/Caddyfile`, and its https port."""
    chain, key = certificate(folder)
    port = free_port()
    text = (DEPLOY / "Caddyfile").read_text()
    for old, new in {
        "#word ": "",
        "club HASH": f"club {password_hash('caddy', 'hash-password', '--plaintext')}",
        "127.0.0.1:8000": f"127.0.0.1:{app}",
        f"\n{NAME} {{\n": f"\n{{\n\tadmin off\n\tauto_https disable_redirects\n"
        f"\tstorage file_system {folder}\n}}\n{NAME}:{port} {{\n\tbind 127.0.0.1 ::1\n"
        f"\ttls {chain} {key}\n",
    }.items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "Caddyfile"
    path.write_text(text)
    return ["caddy", "run", "--config", str(path), "--adapter", "caddyfile"], port


PROXIES = {"nginx": nginx, "caddy": caddy}


@contextmanager
def running(program: str, folder: Path, app: int) -> Iterator[int]:
    """The proxy in front of the app's port; yields its https port."""
    command, port = PROXIES[program](folder, app)
    executable = shutil.which(command[0]) or f"/usr/sbin/{command[0]}"
    log = folder / "proxy.log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            [executable, *command[1:]], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            env={"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin:/bin"},
        )  # fmt: skip
    try:
        ready = until(lambda: answers("127.0.0.1", port) or process.poll() is not None)
        assert ready and process.poll() is None, log.read_text()
        yield port
    finally:
        process.terminate()
        process.wait()


def is_installed(program: str) -> bool:
    return bool(shutil.which(program) or Path(f"/usr/sbin/{program}").exists())
