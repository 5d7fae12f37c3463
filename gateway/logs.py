"""Structured logs on stderr: text lines for people or JSON for machines, bounded and without secrets."""

import json
import logging
import os
import re
import select
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Literal, cast

import orjson

from config.secrets import masked_text
from gateway.package_clash import PACKAGES

MAX_MESSAGE = 2_000
"""The most characters of a message: errors of drivers may quote whole statements."""
MAX_TRACEBACK = 20_000
"""Its end has the error; a deep recursion has thousands of lines before it."""
MAX_FIELD = 200
"""Long enough for a path or a sentence; a field may otherwise quote a caller's text."""
PIECE_BYTES = getattr(select, "PIPE_BUF", 512)
"""How much is written at once to a pipe."""

_OURS = ("entrepot", *PACKAGES)
"""The parents of our loggers: the gateway's are named after what they log, all others after their modules."""
_LEVELS = logging.getLevelNamesMapping()
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that start another line, or change what a terminal does or shows."""


class TextLines(logging.Formatter):
    """A line for people: time, level, logger and message, followed by the indented traceback."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        head = f"{self.formatTime(record)} {record.levelname:<7} {record.name}: {escaped(_message(record))}"
        lines = [escaped(line) for line in _traceback(self, record).splitlines()]
        return "\n    ".join([head, *lines])


class JsonLines(logging.Formatter):
    """One JSON object per line: time (UTC), level, logger, message, and the record's own fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        at = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"
        line: dict[str, object] = {"at": at, "level": record.levelname.lower(), "logger": record.name}
        line["message"] = _message(record)
        fields = cast("Mapping[str, object]", getattr(record, "fields", {}))
        line |= {name: cut(value, MAX_FIELD) if isinstance(value, str) else value for name, value in fields.items()}
        if traceback := _traceback(self, record):
            line["error"] = traceback
        try:
            text = orjson.dumps(line, default=str).decode()
        except orjson.JSONEncodeError:  # UTF-8 cannot encode a lone surrogate
            text = json.dumps(line, default=str)
        # JSON escapes only the first 32 control characters.
        return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Stderr(logging.Handler):
    """Writes to stderr, and drops a line or its end instead of waiting for a parent process that does not read."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped = 0
        self._is_cut = False
        """Whether the last line has no end, because the pipe became full."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, or count it as dropped."""
        if not _writable():
            self.dropped += 1
            return
        dropped = self.dropped
        notice = f"{dropped} log lines were dropped because stderr was not read\n" if dropped else ""
        end = "\n" if self._is_cut else ""
        text = f"{end}{notice}{self.format(record)}\n"
        try:
            self._is_cut = not _written(text)
        except (OSError, ValueError):  # stderr was closed
            self.dropped += 1
        else:
            self.dropped += int(self._is_cut) - dropped


def configure(
    level: Literal["debug", "info", "warning", "error"], style: Literal["text", "json"], plugins: Iterable[str] = ()
) -> None:
    """Send every logger of the process to stderr in `style`.

    Our packages and those of `plugins` are logged from `level`; libraries from `level` too, but at least from warning.
    """
    handler = Stderr()
    handler.setFormatter(JsonLines() if style == "json" else TextLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(logging.WARNING, _LEVELS[level.upper()]))
    for package in (*_OURS, *plugins):
        logging.getLogger(package).setLevel(_LEVELS[level.upper()])


def cut(text: str, limit: int) -> str:
    """Return the first `limit` characters of a text, with a note about how many were cut off."""
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text) - limit} more characters)"


def escaped(text: str) -> str:
    """Return a text with control characters written as Python escapes, such as `\\n` and `\\x1b`."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _message(record: logging.LogRecord) -> str:
    # Masked before it is cut, since half a URL would keep its password. Text far beyond the cut need not be masked.
    return cut(masked_text(record.getMessage()[: 8 * MAX_MESSAGE]), MAX_MESSAGE)


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    if not record.exc_info:
        return ""
    # The end of a traceback has the error.
    return masked_text(formatter.formatException(record.exc_info)[-MAX_TRACEBACK:])


def _written(text: str) -> bool:
    """Write to stderr without blocking and return whether the whole text was written."""
    sys.stderr.flush()
    try:
        descriptor = sys.stderr.fileno()
    except (OSError, ValueError):  # as under a test runner
        sys.stderr.write(text)
        return True
    data = text.encode(sys.stderr.encoding or "utf-8", "backslashreplace")
    # A pipe that is reported as writable takes this much; more would block if the parent does not read.
    for start in range(0, len(data), PIECE_BYTES):
        if start and not _writable():
            return False
        os.write(descriptor, data[start : start + PIECE_BYTES])
    return True


def _writable() -> bool:
    if sys.platform == "win32":
        return True
    try:
        _, ready, _ = select.select([], [sys.stderr.fileno()], [], 0)
    except (OSError, ValueError):  # stderr has no descriptor, as under a test runner
        return True
    return bool(ready)
