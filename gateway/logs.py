"""Structured logs on stderr only: lines for people, or JSON for machines."""

import logging
import select
import sys
import time
from typing import Literal

import orjson

_LEVELS = logging.getLevelNamesMapping()


class JsonLines(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, message, and the record's own fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        at = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"
        line: dict[str, object] = {"at": at, "level": record.levelname.lower(), "logger": record.name}
        line["message"] = record.getMessage()
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


class Stderr(logging.Handler):
    """Writes to stderr, and drops a line rather than wait for a parent process that does not read."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, or count it as dropped."""
        if not _writable():
            self.dropped += 1
            return
        if self.dropped:
            dropped, self.dropped = self.dropped, 0
            sys.stderr.write(f"{dropped} log lines were dropped: nobody read stderr\n")
        try:
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()
        except (OSError, ValueError):  # stderr was closed
            self.dropped += 1


def configure(level: Literal["debug", "info", "warning", "error"], style: Literal["text", "json"]) -> None:
    """Send every logger of the process to stderr in `style`; libraries speak from warning on."""
    handler = Stderr()
    text = logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if style == "json" else text)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(logging.WARNING, _LEVELS[level.upper()]))
    logging.getLogger("entrepot").setLevel(_LEVELS[level.upper()])


def _writable() -> bool:
    if sys.platform == "win32":
        return True
    try:
        _, ready, _ = select.select([], [sys.stderr.fileno()], [], 0)
    except (OSError, ValueError):  # no descriptor behind stderr, as under a test runner
        return True
    return bool(ready)
