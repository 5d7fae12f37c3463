"""What is written to stderr."""

import json
import logging
import os
import random
import re
from collections.abc import Generator
from threading import Thread
from typing import Literal

import pytest

from gateway import logs

PARENTS = ("entrepot", "backends", "config", "contracts", "gateway", "toolsets", "a_plugin")


@pytest.fixture(autouse=True)
def restored() -> Generator[None, None, None]:
    root = logging.getLogger()
    handlers, levels = root.handlers[:], {name: logging.getLogger(name).level for name in ("", *PARENTS)}
    yield
    root.handlers[:] = handlers
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def test_json_lines_carry_the_records_fields(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info", "json")
    logging.getLogger("entrepot.calls").info("done", extra={"fields": {"tool": "t", "ms": 1.5}})
    logging.getLogger("library").info("chatter")
    found = json.loads(capsys.readouterr().err)
    assert (found["message"], found["tool"], found["ms"], found["level"]) == ("done", "t", 1.5, "info")


@pytest.mark.parametrize(
    "name", ["toolsets.concept_rag.health", "backends.stores", "gateway.x", "config.x", "a_plugin"]
)
def test_our_modules_and_plugins_follow_the_level_and_libraries_start_at_warning(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    expected: dict[Literal["debug", "info", "warning", "error"], str]
    expected = {"debug": "diw", "info": "iw", "warning": "w", "error": ""}
    for level, shown in expected.items():
        logs.configure(level, "text", ["a_plugin"])
        logging.getLogger(name).debug("d")
        logging.getLogger(name).info("i")
        logging.getLogger(name).warning("w")
        logging.getLogger("library").info("chatter")
        written = capsys.readouterr().err
        assert [line.rpartition(" ")[2] for line in written.splitlines()] == list(shown)


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


@pytest.mark.parametrize("seed", range(8))
def test_a_line_longer_than_the_free_part_of_the_pipe_stops_nothing(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The system reports a pipe as writable when one of its pages is free, which is less than such a line has."""
    readable, writable = os.pipe()
    with os.fdopen(readable, "rb") as parent, os.fdopen(writable, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr("sys.stderr", stderr)
        logs.configure("info", "text")

        def log_much() -> None:
            rng = random.Random(seed)
            for _ in range(100):
                logging.getLogger("entrepot").info("\U0001f600" * rng.randint(50, 1_950))

        logging_thread = Thread(target=log_much, daemon=True)
        logging_thread.start()
        logging_thread.join(5)
        is_blocked = logging_thread.is_alive()
        os.set_blocking(parent.fileno(), False)
        first = parent.read()
        assert not is_blocked
        logging.getLogger("entrepot").info("again")
        assert re.search(rb"\n\d+ log lines were dropped because .*\n[^\n]*again\n$", first + parent.read())


@pytest.mark.parametrize("style", ["text", "json"])
@pytest.mark.parametrize("character", ["\x1b[2J", "\x9b2J\x7f", "\u202e\u2028", "\ud800"])
def test_what_is_logged_is_one_bounded_line_without_secrets(
    capsys: pytest.CaptureFixture[str], style: Literal["text", "json"], character: str
) -> None:
    logs.configure("info", style)
    hostile = f"a\r\nforged{character} bolt://u:s3cret@host?token=s3cret " + "x" * 1_000_000
    logging.getLogger("entrepot").info("%s", hostile, extra={"fields": {"request": "r" * 1_000_000}})
    written = capsys.readouterr().err
    assert "s3cret" not in written
    assert len(written.splitlines()) == 1
    assert len(written) < 3_000
    assert written.rstrip("\n").isprintable()
    if style == "json":
        assert json.loads(written)["message"].startswith("a\r\nforged"), "what is escaped is read again"


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_traceback_is_written_without_forged_lines_and_secrets(
    capsys: pytest.CaptureFixture[str], style: Literal["text", "json"]
) -> None:
    logs.configure("info", style)
    error = ValueError("first\n2026-01-01 INFO forged\x1b bolt://u:s3cret@host")
    logging.getLogger("entrepot").error("failed", exc_info=error)
    written = capsys.readouterr().err
    assert "ValueError: first" in written
    assert "s3cret" not in written
    assert all(line.startswith("    ") for line in written.splitlines()[1:])
    assert "\x1b" not in written
