"""The attacks. Each begins, and stays as it is until its stack is closed."""

from __future__ import annotations

import socket
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from functools import partial

from benchmarks.attack.histories import history_file
from benchmarks.attack.target import GAME, HONEST, Target
from companion.limits import USUAL
from companion.tables.history.exchange import MOST_MATCHES


def half_sent_heads(server: Target, stack: ExitStack, count: int = 1100) -> None:
    for _ in range(count):
        with suppress(OSError):
            line = stack.enter_context(server.connect())
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")


def half_sent_bodies(server: Target, stack: ExitStack, count: int = 400) -> None:
    head = b"POST /join HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
    for _ in range(count):
        with suppress(OSError):
            line = stack.enter_context(server.connect())
            line.settimeout(1)
            line.sendall(head + b"x" * 950_000)


def slow_uploads(server: Target, stack: ExitStack, count: int = 40) -> None:
    head = b"POST /upload/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 160000000\r\n\r\nx"
    for _ in range(count):
        with suppress(OSError):
            stack.enter_context(server.connect()).sendall(head)


def many_streams(server: Target, stack: ExitStack, count: int = 2000) -> None:
    for _ in range(count):
        with suppress(OSError):
            line = stack.enter_context(server.connect())
            line.sendall(f"GET {server.stream} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())


def write_lock(server: Target, stack: ExitStack) -> None:
    """Another program's transaction, and phones that try to write meanwhile."""
    other = sqlite3.connect(
        server.folder / "x.sqlite3", isolation_level=None, check_same_thread=False
    )
    stack.callback(other.close)
    other.execute("BEGIN IMMEDIATE")
    for _ in range(32):
        line = stack.enter_context(server.connect())
        body = f"game={GAME.name}"
        form = "Content-Type: application/x-www-form-urlencoded\r\n"
        head = (
            f"POST /tables HTTP/1.1\r\nHost: localhost\r\n{form}Content-Length: {len(body)}\r\n\r\n"
        )
        line.sendall((head + body).encode())


def bring(server: Target, stack: ExitStack, history: bytes, sources: Iterable[str]) -> None:
    """Brings a file into the history from each of these addresses at once."""
    body = b'--p\r\nContent-Disposition: form-data; name="history"; filename="h"\r\n\r\n'
    body += history + b"\r\n--p--\r\n"
    head = f"POST /history/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    kind = "Content-Type: multipart/form-data; boundary=p\r\nCookie: " + server.cookie

    def send(source: str) -> None:
        with suppress(OSError):
            line = stack.enter_context(server.connect(source))
            line.sendall((head + kind + "\r\n\r\n").encode() + body)

    for source in sources:
        threading.Thread(target=send, args=(source,), daemon=True).start()


def wide_histories(server: Target, stack: ExitStack) -> None:
    inner = b'{"format":"companion-history/1","games":[' + b'{"":{}},' * (32 * 2**20 // 8 - 40)
    bring(server, stack, inner + b"{}]}", SIX[:3])


def waiting_histories(server: Target, stack: ExitStack) -> None:
    """Files that take seconds, as many at once as two addresses may send."""
    bring(server, stack, history_file(MOST_MATCHES), SIX[:2] * 8)


def costly_forms(server: Target, stack: ExitStack, content: str, count: int = 8) -> None:
    """Ordinary forms as large as any, one after the other on each connection."""
    head = b"POST /language HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    head += b"Content-Type: application/x-www-form-urlencoded\r\n"
    over = threading.Event()
    stack.callback(over.set)

    def send() -> None:
        number = 0
        while not over.is_set():
            number += 1
            size = 1_000_000 if number % 2 else USUAL.body_bytes  # too large, and just allowed
            body = (content * (size // len(content))).encode()
            with suppress(OSError), server.connect() as line:
                line.sendall(head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                while line.recv(65536):
                    pass

    for _ in range(count):
        threading.Thread(target=send, daemon=True).start()


def one_byte_bodies(server: Target, stack: ExitStack, sources: Iterable[str]) -> None:
    """Sixteen bodies of each address, of which one byte comes."""
    for source in sources:
        for _ in range(16):
            with suppress(OSError):
                line = stack.enter_context(server.connect(source))
                line.sendall(b"POST /join HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
                line.sendall(b"x")


def greedy_uploads(server: Target, stack: ExitStack, count: int = 4) -> None:
    """As many bytes as all uploads may have, in uploads that do not end."""
    size = USUAL.uploading_bytes // count - 100_000
    head = f"POST /upload/new HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size + 1}\r\n\r\n"
    for _ in range(count):
        with suppress(OSError):
            line = stack.enter_context(server.connect())
            line.sendall(head.encode() + bytes(size))


def slow_pages(server: Target, stack: ExitStack, count: int = 200) -> None:
    """The picture of a result, which takes long to draw, many times at once."""
    path, cookie = server.result()
    head = f"GET {path}/result.png HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n"
    for _ in range(count):
        with suppress(OSError):
            stack.enter_context(server.connect()).sendall(head.encode() * 50)


def slow_prints(server: Target, stack: ExitStack, count: int = 16) -> None:
    """Forty pages of pads, many times at once."""
    path = f"/pads/pads.pdf?sheet={GAME.sheet.name}&copies=120"
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {server.result()[1]}\r\n\r\n"
    for _ in range(count):
        with suppress(OSError):
            stack.enter_context(server.connect()).sendall(head.encode())


def idle_connections(server: Target, stack: ExitStack) -> None:
    """Connections that say nothing, of many addresses."""
    for number in range(939):
        with suppress(OSError):
            stack.enter_context(server.connect(f"127.0.1.{number % 20 + 1}"))


def unread_answers(server: Target, stack: ExitStack) -> None:
    """A thousand requests on each connection, of whose answers nothing is taken."""
    request = b"GET /static/table.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for number in range(1024):
        with suppress(OSError):
            line = stack.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            line.bind((SIX[number % 4], 0))
            line.settimeout(1)
            line.connect(("127.0.0.1", server.port))
            line.sendall(request * 1000)


SIX = [f"127.0.0.{66 + number}" for number in range(6)]

ATTACKS: dict[str, Callable[[Target, ExitStack], None]] = {
    "nothing": lambda _server, _stack: None,
    "half-sent-heads": half_sent_heads,
    "half-sent-bodies": half_sent_bodies,
    "slow-uploads": slow_uploads,
    "many-streams": many_streams,
    "bad-bytes": partial(costly_forms, content="code=" + "%ff" * 20_000),
    "many-fields": partial(costly_forms, content="a&"),
    "escapes": partial(costly_forms, content="%41"),
    "six-bodies": partial(one_byte_bodies, sources=SIX),
    "own-bodies": partial(one_byte_bodies, sources=[HONEST]),
    "greedy-uploads": greedy_uploads,
    "slow-pages": slow_pages,
    "slow-prints": slow_prints,
    "idle-connections": idle_connections,
    "unread-answers": unread_answers,
    "write-lock": write_lock,
    "wide-histories": wide_histories,
    "waiting-histories": waiting_histories,
}

CONTROLS: dict[str, Callable[[Target], int]] = {
    "greedy-uploads": Target.send_photo,
    "slow-pages": Target.open_slow_page,
    "slow-prints": Target.open_slow_page,
}
"""Attack → the honest request that it concerns, beside taps and the first page; its status."""
