"""What is written to stderr."""

import json
import logging
import os
from collections.abc import Generator

import pytest

from gateway import logs


@pytest.fixture(autouse=True)
def restored() -> Generator[None, None, None]:
    root, ours = logging.getLogger(), logging.getLogger("entrepot")
    before = (root.handlers[:], root.level, ours.level)
    yield
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    ours.setLevel(before[2])


def test_json_lines_carry_the_records_fields(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info", "json")
    logging.getLogger("entrepot.calls").info("done", extra={"fields": {"tool": "t", "ms": 1.5}})
    logging.getLogger("library").info("chatter")
    found = json.loads(capsys.readouterr().err)
    assert (found["message"], found["tool"], found["ms"], found["level"]) == ("done", "t", 1.5, "info")


def test_a_parent_that_does_not_read_stderr_loses_lines_and_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    readable, writable = os.pipe()
    with os.fdopen(readable, "rb") as parent, os.fdopen(writable, "w") as stderr:
        monkeypatch.setattr("sys.stderr", stderr)
        logs.configure("info", "text")
        handler = logging.getLogger().handlers[0]
        for _ in range(2_000):
            logging.getLogger("entrepot").info("x" * 200)
        assert isinstance(handler, logs.Stderr)
        assert handler.dropped > 0
        os.set_blocking(parent.fileno(), False)
        parent.read()
        logging.getLogger("entrepot").info("again")
        assert b"log lines were dropped" in parent.read()
