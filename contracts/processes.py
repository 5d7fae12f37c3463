"""Starts the servers that the suite connects to; a run may provide its own starter."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

import pytest


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """The command of a server: the program with its arguments, the complete environment, and the working directory."""

    program: Sequence[str]
    arguments: Sequence[str]
    """The arguments of `entrepot`."""
    environment: Mapping[str, str]
    folder: Path

    @property
    def line(self) -> list[str]:
        """The command line."""
        return [*self.program, *self.arguments]


class ServerProcess(Protocol):
    """A running server."""

    def terminate(self) -> None:
        """Ask the server to end; does nothing once it has ended."""
        ...

    def wait(self) -> int:
        """Return the exit code once the server has ended."""
        ...


class Starter(Protocol):
    """Starts a server without input whose output is discarded and whose messages go to `stderr`."""

    def __call__(self, command: ServerCommand, stderr: IO[bytes]) -> ServerProcess:
        """Return the process without waiting for it to be ready."""
        ...


STARTER = pytest.StashKey[Starter]()
"""A conftest may store a starter under this key, in `pytest_configure`; `start_process` is used otherwise."""


def start_process(command: ServerCommand, stderr: IO[bytes]) -> ServerProcess:
    """Start a new Python process."""
    return subprocess.Popen(  # noqa: S603 -- the interpreter of this run and constant arguments
        command.line,
        env=command.environment,
        cwd=command.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )
