"""Forms and queries, which are refused or parsed at little cost, whatever stands in them."""

from __future__ import annotations

from typing import IO
from urllib.parse import parse_qsl

from flask import Request
from werkzeug.datastructures import FileStorage, ImmutableMultiDict, MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser
from werkzeug.utils import cached_property


def _fields(text: str) -> list[tuple[str, str]]:
    """The fields of a form or query. Werkzeug calls a function for each byte that is not UTF-8."""
    return parse_qsl(text, keep_blank_values=True, errors="replace")


class _FormParser(FormDataParser):
    """Applies the limits of forms with parts to the others, too."""

    def _parse_urlencoded(
        self,
        stream: IO[bytes],
        mimetype: str,
        content_length: int | None,
        options: dict[str, str],
    ) -> tuple[IO[bytes], MultiDict[str, str], MultiDict[str, FileStorage]]:
        most, most_fields = self.max_form_memory_size or 0, self.max_form_parts or 0
        raw = stream.read(most + 1)
        if len(raw) > most or raw.count(b"&") >= most_fields:
            raise RequestEntityTooLarge
        return stream, self.cls(_fields(raw.decode())), self.cls()


class LimitedRequest(Request):
    """A request whose forms have limits, however they are encoded."""

    form_data_parser_class = _FormParser

    @cached_property
    def args(self) -> MultiDict[str, str]:
        """The query's fields."""
        return ImmutableMultiDict(_fields(self.query_string.decode()))
