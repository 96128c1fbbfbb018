"""`companion serve --https` and `--cert`, asked by clients that trust the root."""

from __future__ import annotations

import http.client
import os
import re
import ssl
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from companion import cli
from companion.core.refusal import Unusable
from companion.web.run.certificates import GivenCertificate, listening_context
from companion.web.run.home_authority import LEAF_LIFETIME, HomeAuthority
from tests.kit.pages import Page, is_sentence
from tests.kit.servers.process import Server, data_of, new_table, serving
from tests.kit.servers.program import free_port

HOST = "127.0.0.1"
NAMES = ("192.168.1.5", "fd00::5", "localhost", "games.local")
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("https")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[tuple[Server, int]]:
    """A server with both, and its port for https."""
    port = free_port()
    database = f"sqlite:///{folder / 'games.sqlite3'}"
    with serving("--host", HOST, "--db", database, "--https", str(port)) as running:
        yield running, port


def client(root: bytes) -> ssl.SSLContext:
    """A client that trusts one root, and is as strict as RFC 5280."""
    context = ssl.create_default_context(cadata=root)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


def ask(
    port: int, trusting: ssl.SSLContext, path: str, **headers: str
) -> tuple[int, http.client.HTTPMessage, str]:
    with closing(http.client.HTTPSConnection(HOST, port, context=trusting)) as line:
        line.request("POST" if path.endswith("share") else "GET", path, headers=headers)
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def test_a_phone_that_trusts_the_root(server: tuple[Server, int], folder: Path) -> None:
    """It is the same phone over http and https, and invites others by http."""
    running, port = server
    said = running.ask("GET", "/trust").read().decode()
    assert f"https://{HOST}:{port}/" in said
    assert 'href="/trust"' in running.ask("GET", "/").read().decode()
    answer = running.ask("GET", "/trust/companion.crt")
    assert answer.headers["Content-Type"] == "application/x-x509-ca-cert"
    trusting = client(answer.read())
    path, cookie = new_table(running)
    status, headers, page = ask(port, trusting, path, **cookie)
    assert (status, "Tim" in page) == (200, True)
    assert headers["Strict-Transport-Security"] is None, "there is http beside it"
    assert f"http://{HOST}:{running.port}/j/" in ask(port, trusting, f"{path}share", **cookie)[2]
    made = ask(port, trusting, "/")[1]["Set-Cookie"] or ""
    assert "Secure" not in made
    assert "To the first page" in ask(port, trusting, "/trust")[2]
    assert (folder / "games-https.pem").stat().st_mode & 0o777 == 0o600
    with pytest.raises(ssl.SSLCertVerificationError):
        ask(port, ssl.create_default_context(), "/")
    assert running.ask("GET", "/").status == 200


def test_without_https_there_is_no_such_page(tmp_path: Path) -> None:
    with serving("--host", HOST, "--db", f"sqlite:///{tmp_path / 'x.sqlite3'}") as running:
        assert running.ask("GET", "/trust").status == 404
        assert 'href="/trust"' not in running.ask("GET", "/").read().decode()


def leaf(context: ssl.SSLContext, root: bytes, name: str = "games.local") -> x509.Certificate:
    """The certificate that a client gets, which it has verified."""
    inside, outside = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client(root).wrap_bio(outside, inside, server_hostname=name)
    answering = context.wrap_bio(inside, outside, server_side=True)
    for side in (asking, answering, asking, answering):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    der = asking.getpeercert(binary_form=True)
    assert der
    return x509.load_der_x509_certificate(der)


def test_certificates_are_as_phones_ask(tmp_path: Path) -> None:
    file = tmp_path / "x-https.pem"
    home = HomeAuthority(file, lambda: (*NAMES, "games.example.org", "192.0.2.7"))
    context = listening_context(home)
    for name in NAMES:
        found = leaf(context, home.root, name)
    extensions = found.extensions
    hosts = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert sorted(str(host.value) for host in hosts) == sorted(NAMES)
    assert found.not_valid_after_utc - found.not_valid_before_utc <= timedelta(days=397)
    usage = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert [use.dotted_string for use in usage] == ["1.3.6.1.5.5.7.3.1"]
    root = x509.load_der_x509_certificate(home.root)
    assert {extension.oid._name for extension in root.extensions if extension.critical} == {
        "basicConstraints", "keyUsage", "nameConstraints"
    }  # fmt: skip
    assert HomeAuthority(file, lambda: NAMES).root == home.root, "phones trust it once"


@pytest.mark.parametrize("name", ["games.example.org", "192.0.2.7", "xlocal"])
def test_the_root_is_for_home_networks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Even a certificate that a thief of the key makes is refused by clients."""
    monkeypatch.setattr(HomeAuthority, "certifies", lambda *_: True)
    home = HomeAuthority(tmp_path / "x.pem", lambda: [name])
    with pytest.raises(ssl.SSLCertVerificationError, match="subtree"):
        leaf(listening_context(home), home.root, name)


def test_certificates_are_renewed_in_time(tmp_path: Path) -> None:
    """Before their end, when the computer's address changes, and when its clock is set."""
    names = [["192.168.1.5"]]
    times = [NOW]
    home = HomeAuthority(tmp_path / "x.pem", lambda: names[0], lambda: times[0])
    context = home.context()
    times[0] += LEAF_LIFETIME - timedelta(days=35)
    assert home.context() is context
    times[0] += timedelta(days=5)
    assert home.context() is not context
    context = home.context()
    names[0] = ["192.168.1.6"]
    assert home.context() is not context
    context = home.context()
    times[0] -= timedelta(days=300)
    assert home.context() is not context


def test_a_certificate_of_ones_own(tmp_path: Path) -> None:
    """It is served at the name that is printed, and there is nothing to trust first."""
    home = HomeAuthority(tmp_path / "root.pem", lambda: ["localhost"])
    (tmp_path / "own.pem").write_bytes(home.issue(["localhost", HOST]))
    files = ["--cert", str(tmp_path / "own.pem"), "--key", str(tmp_path / "own.pem")]
    place = ["--host", HOST, "--db", f"sqlite:///{tmp_path / 'x.sqlite3'}", "--https", "0"]
    plain = free_port()
    place += ["--port", str(plain), "--name", "localhost", "--log", "json"]
    with serving(*place, *files) as running:
        running.port = plain
        found = re.search(r"https://localhost:(\d+)/", running.errors)
        assert found, running.errors
        status, headers, _ = ask(int(found[1]), client(home.root), "/")
        assert status == 200
        assert "; Secure" in headers["Set-Cookie"]
        assert headers["Strict-Transport-Security"] is None
        assert ask(int(found[1]), client(home.root), "/trust")[0] == 404
        path, cookie = new_table(running)
        page = Page(ask(int(found[1]), client(home.root), path, **cookie)[2])
        line = http.client.HTTPSConnection(HOST, int(found[1]), context=client(home.root))
        line.request("GET", str(page.one(id="table").attrs["data-live"]))
        stream = line.getresponse()
        assert data_of(stream), "a live stream goes over it, too"
        status, said = running.stop()  # while the phone sleeps, and does not answer
        assert status == 0
        assert '"level": "error"' not in said
        stream.close()
        line.close()


def test_files_may_be_replaced(tmp_path: Path) -> None:
    """Also while they are half written: the certificate before them still does."""
    home = HomeAuthority(tmp_path / "root.pem", lambda: NAMES)
    file = tmp_path / "own.pem"
    file.write_bytes(home.issue(NAMES))
    listening = listening_context(GivenCertificate(file, file))
    first = leaf(listening, home.root)
    for content in (b"", home.issue(NAMES)):
        file.write_bytes(content)
        os.utime(file, (len(content), len(content)))
        last = leaf(listening, home.root)
        assert (last.serial_number == first.serial_number) == (not content)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--cert", "x.pem"], "belong together"),
        (["--cert", "x.pem", "--key", "x.pem"], "x.pem"),
        (["--https", "0", "--workers", "2"], "one process"),
        (["--https", "0", "--name", "games.example.org"], "games.example.org is not of one"),
        (["--https", "99999"], "Invalid value for '--https'"),
    ],
)
def test_what_cannot_be_served(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], words: str
) -> None:
    place = ["serve", "--host", HOST, "--port", "0", "--db", f"sqlite:///{tmp_path / 'x.sqlite3'}"]
    assert cli.main([*place, *arguments]) == 2
    said = capsys.readouterr().err.strip()
    assert words in said


@pytest.mark.parametrize("content", [b"", b"nonsense"])
def test_a_damaged_file_is_no_new_root(tmp_path: Path, content: bytes) -> None:
    """The phones would have to trust a new one."""
    file = tmp_path / "x-https.pem"
    file.write_bytes(content)
    with pytest.raises(Unusable) as raised:
        HomeAuthority(file, lambda: NAMES)
    assert is_sentence(str(raised.value))
    assert file.read_bytes() == content


def test_https_needs_its_package(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, HomeAuthority.__module__)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    place = ["--host", HOST, "--port", "0", "--db", f"sqlite:///{tmp_path / 'x.sqlite3'}"]
    assert cli.main(["serve", *place, "--https", "0"]) == 2
    assert ".[https]" in capsys.readouterr().err
