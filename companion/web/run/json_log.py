"""The log as JSON lines, for programs that collect logs: `companion serve --log json`."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from companion.web.net.observing import current


class JsonLines(logging.Formatter):
    """A record as one line of JSON, with the id of the request in which it was written."""

    def format(self, record: logging.LogRecord) -> str:
        now = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        seen = current.get()
        if (request := getattr(record, "request", seen.id if seen else None)) is not None:
            line["request"] = request
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
