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

from tests.e2e.probe import DEMO, Home, legacy_opening, lines
from tests.support.processes import Child

PATIENCE_S = 30.0
SENTENCE = "entrepot: interrupted. Nothing that was stored is lost; run the command again."


@contextmanager
def looking(home: Home, *words: str, state: str = "waits") -> Generator[tuple[Child, int]]:
    """Run a command until its look through the shelf waits; yield it, and the end of a pipe that the look holds open."""
    home.configure(f'{DEMO}state = "{state}"\n')
    os.mkfifo(home.data / "pipe")
    pipe = os.open(home.data / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    process = home.start(*words)
    try:
        assert heard(pipe) == b".", home.said()
        yield process, pipe
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            stream.close()
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
    assert said == [SENTENCE]
    assert not [*home.data.glob("verification-*")]
    assert home.shelf.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_signal_ends_a_server_that_still_opens_its_stores(home: Home, transport: str, number: signal.Signals) -> None:
    """A store is opened in a thread, which goes on for minutes and cannot be interrupted."""
    with looking(home, "serve", "--transport", transport, "--port", "0", state="busy") as (process, _):
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 130
    said = [line for line in home.said().splitlines() if line.strip()]
    assert said == [SENTENCE]


STARTING = """
import os, runpy, signal, sys
_, module, number, ctrl_c = sys.argv
signal.signal(signal.SIGINT, signal.SIG_IGN if ctrl_c == "ignored" else signal.default_int_handler)
class Signalling:
    def find_spec(name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), int(number))
sys.meta_path.insert(0, Signalling)
sys.argv = ["entrepot", "serve"]
runpy.run_module("gateway.cli.main", run_name="__main__")
"""
"""Runs a server that gets a signal when it imports a module."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["click", "pydantic", "gateway.cli.options", "gateway.cli.serve", "mcp"])
def test_a_signal_ends_a_server_that_still_imports_its_libraries(
    home: Home, module: str, number: signal.Signals
) -> None:
    assert _end_of(home, STARTING, module, number) == (130, SENTENCE)


@pytest.mark.parametrize("module", ["click", "mcp", "gateway.transports.stdio"])
def test_sigterm_ends_a_start_that_ignores_ctrl_c(home: Home, module: str) -> None:
    assert _end_of(home, STARTING, module, signal.SIGTERM, ctrl_c="ignored") == (130, SENTENCE)


@pytest.mark.parametrize("module", ["click", "mcp", "gateway.transports.stdio"])
def test_an_ignored_ctrl_c_does_not_end_a_start(home: Home, module: str) -> None:
    """A script that starts a server in the background makes it ignore Ctrl-C."""
    assert _end_of(home, STARTING, module, signal.SIGINT, ctrl_c="ignored") == (0, "")


def test_an_interrupted_start_that_ends_slowly_says_so_once(home: Home) -> None:
    """The time limit of an interrupted start passes while the interpreter shuts down."""
    slow = f"import atexit, time\natexit.register(time.sleep, {PATIENCE_S})\n{STARTING}"
    assert _end_of(home, slow, "gateway.transports.stdio", signal.SIGTERM) == (130, SENTENCE)


def _end_of(home: Home, program: str, module: str, number: signal.Signals, *, ctrl_c: str = "heard") -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, "-P", "-c", program, module, str(int(number)), ctrl_c],
        cwd=home.folder,
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stderr.strip()


def test_a_client_that_leaves_unheard_ends_a_server_that_still_opens_its_stores(home: Home) -> None:
    with looking(home, "serve", state="busy") as (process, _):
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
    assert home.said() == ""


def test_a_client_that_has_asked_and_does_not_listen_any_more_is_not_answered(home: Home) -> None:
    with looking(home, "serve", state="busy") as (process, _):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines(legacy_opening()).encode())
        process.stdout.close()
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0


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
