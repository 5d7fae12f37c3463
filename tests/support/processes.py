"""Our commands as processes that start warm: each is forked from one that has our imports behind it.

The imports take ten times as long as all else that a start does. The processes are as real as others: they have their own
numbers, signals, streams and files. Starts from nothing are tried by whoever starts a server on stdio.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Thread, Timer
from typing import IO, Protocol

import gateway
from contracts.processes import ServerCommand

PACKAGES = Path(gateway.__file__).parent.parent
"""Where the packages under test are, installed or not."""


class Process(Protocol):
    """What is used of a server's process, however it was started."""

    pid: int

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        ...

    def wait(self) -> int:
        """Return the exit code once it has ended."""
        ...

    def terminate(self) -> None:
        """Ask it to end."""
        ...

    def kill(self) -> None:
        """End it."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """Words for `entrepot`, the whole environment, and the folder to run in; those of this process unless named."""

    words: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    folder: Path = field(default_factory=Path.cwd)


class Child:
    """A command that runs; as `subprocess.Popen`, as far as it goes."""

    def __init__(self, conversation: socket.socket, stdin: IO[bytes] | None, stdout: IO[bytes] | None) -> None:
        self.stdin, self.stdout = stdin, stdout
        self._conversation = conversation
        self._heard = b""
        self.returncode: int | None = None
        self.pid = int(self._line(None))

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal, or None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once it has ended. Raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            self.returncode = int(self._line(timeout))
            self._conversation.close()
        return self.returncode

    def communicate(self, said: bytes = b"", timeout: float = 60) -> tuple[bytes, None]:
        """Tell it all, close its input, and return what it says until it has ended; after `timeout` it is killed."""
        assert self.stdin is not None
        assert self.stdout is not None
        feeding, patience = Thread(target=_feed, args=(self.stdin, said)), Timer(timeout, self.kill)
        feeding.start()
        patience.start()
        with self.stdout:
            answer = self.stdout.read()
        self.wait()
        patience.cancel()
        feeding.join()
        return answer, None

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended, and its exit code is on the way
                os.kill(self.pid, number)

    def _line(self, timeout: float | None) -> bytes:
        self._conversation.settimeout(timeout)
        while b"\n" not in self._heard:
            try:
                more = self._conversation.recv(64)
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired("entrepot", timeout or 0) from None
            if not more:
                raise RuntimeError("the process that forks commands has ended")
            self._heard += more
        line, _, self._heard = self._heard.partition(b"\n")
        return line


def _feed(stdin: IO[bytes], said: bytes) -> None:
    with suppress(BrokenPipeError), stdin:
        if not stdin.closed:
            stdin.write(said)


def start(command: Command, stderr: IO[bytes] | None = None) -> Process:
    """Start a command that hears nothing, and whose output nobody reads unless `stderr` is a file for complaints."""
    with Path(os.devnull).open("r+b") as nothing:
        if sys.platform == "linux":
            return Child(_asked(command, nothing, nothing, stderr or nothing), None, None)
        # Elsewhere the system's own libraries may not be used after a fork.
        words = [sys.executable, "-P", "-m", "gateway.cli.main", *command.words]
        environment, folder = command.environment, command.folder
        return subprocess.Popen(
            words, env=environment, cwd=folder, stdin=nothing, stdout=nothing, stderr=stderr or nothing
        )


def start_server(command: ServerCommand, stderr: IO[bytes]) -> Process:
    """Start a server of the contract suite."""
    return start(Command(command.arguments, command.environment, command.folder), stderr)


def piped(command: Command, stderr: IO[bytes]) -> Child:
    """Start a command with pipes for its input and its output."""
    (their_input, stdin), (stdout, their_output) = os.pipe(), os.pipe()
    with os.fdopen(their_input, "rb") as hears, os.fdopen(their_output, "wb") as says:
        conversation = _asked(command, hears, says, stderr)
    return Child(conversation, os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"))


def run(command: Command, said: str = "", patience_s: float = 60) -> "subprocess.CompletedProcess[str]":
    """Return how a command ended that was told this on its input, and what it said; after so long it is killed.

    It is told an empty line at least: a server whose client leaves without a word ends before it has started.
    """
    with tempfile.TemporaryFile() as stderr:
        child = piped(command, stderr)
        answer, _ = child.communicate(said.encode() or b"\n", patience_s)
        stderr.seek(0)
        return subprocess.CompletedProcess(command.words, child.wait(), answer.decode(), stderr.read().decode())


def _asked(command: Command, *standard: IO[bytes]) -> socket.socket:
    """Return the conversation in which the command's number is told, and then its exit code."""
    with ExitStack() as failing:
        ours, theirs = socket.socketpair()
        failing.enter_context(ours)
        with theirs:
            files = [file.fileno() for file in (*standard, theirs)]
            socket.send_fds(_forks(), [b"+"], files)
        wanted = [[*command.words], {**command.environment}, str(command.folder)]
        ours.sendall(json.dumps(wanted).encode() + b"\n")
        failing.pop_all()
        return ours


@cache
def _forks() -> socket.socket:
    """Start the process that forks, once; it ends with this one."""
    ours, theirs = socket.socketpair()
    with theirs:
        search = os.pathsep.join([str(PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])])
        process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("forks.py")), str(theirs.fileno())],
            # numpy's algebra would start threads as it is imported, which a fork lacks.
            env={**os.environ, "PYTHONPATH": search, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
