"""A command that is interrupted says so, puts things in order and leaves nobody at work."""

import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from tests.e2e.probe import DEMO, Home
from tests.support.processes import Child

PATIENCE_S = 30.0


@contextmanager
def looking(home: Home, *words: str) -> Generator[tuple[Child, int]]:
    """Run a command until its look through the shelf waits; yield it, and the end of a pipe that the look holds open."""
    home.configure(DEMO + 'state = "waits"\n')
    os.mkfifo(home.data / "pipe")
    pipe = os.open(home.data / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    process = home.start(*words)
    try:
        assert heard(pipe) == b".", home.said()
        yield process, pipe
    finally:
        process.kill()
        process.communicate()
        os.close(pipe)


def heard(pipe: int) -> bytes:
    """Return what comes through the pipe next; nothing once nobody has it open any more."""
    assert select.select([pipe], [], [], PATIENCE_S)[0], "nothing came"
    return os.read(pipe, 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", [["check"], ["rebuild"]])
def test_an_interrupted_integrity_check_leaves_no_process_behind(
    home: Home, words: list[str], number: signal.Signals
) -> None:
    with looking(home, *words) as (process, pipe):
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 130
        assert heard(pipe) == b""
    said = [line for line in home.said().splitlines() if line.strip()]
    assert said == ["entrepot: interrupted. Nothing that was stored is lost; run the command again."]
    assert not [*home.data.glob("examined-*")]
    assert home.shelf.exists()


def test_files_that_were_moved_before_an_interrupt_are_named(home: Home) -> None:
    home.shelf.write_text("torn", encoding="utf-8")
    with looking(home, "rebuild") as (process, _):
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
    [aside] = home.data.glob("damaged-*")
    assert f"Damaged files were moved to {aside}" in home.said()
    assert "run the command again" in home.said()


def test_an_integrity_check_ends_with_its_parent_process(home: Home) -> None:
    with looking(home, "check") as (process, pipe):
        process.kill()
        assert heard(pipe) == b""


def test_an_integrity_check_that_hangs_ends_at_its_time_limit(home: Home) -> None:
    """Whoever wanted it may have been killed, and it cannot find out."""
    command = [sys.executable, "-P", "-m", "backends.integrity"]
    question = pickle.dumps(("shelf", {"state": "turns"}, home.data, 1.0))
    look = subprocess.run(
        command, input=question, env=home.environment(), capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert look.returncode == -signal.SIGALRM
