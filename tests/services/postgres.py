"""A PostgreSQL server of the run's own: made by `initdb`, never run by root, reached on loopback with a password."""

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from pwd import getpwnam
from tempfile import TemporaryDirectory
from typing import TypedDict

import psutil

from tests.services.catalogue import Variables
from tests.services.needed import Missing, program
from tests.support.ports import free_port

PACKAGE = "postgresql"
INSTALLED = Path("/usr/lib/postgresql")
WITHIN_S = 30.0
CONNECTIONS = 400
"""Several combinations of engines run at once, each with some servers of up to nine connections; the default is 100."""


@dataclass(slots=True)
class Postgres:
    """A server in a folder: made once, started and stopped as often as a test likes, on one port throughout."""

    folder: Path
    port: int
    password: str = field(default_factory=secrets.token_hex)
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def uri(self) -> str:
        """Where the superuser finds the database that every server has."""
        return self.uri_of("postgres", self.password)

    def uri_of(self, user: str, password: str, *, database: str = "postgres") -> str:
        """Return the URI of a user's way to a database."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def make(self) -> None:
        """Make the server's files, owned by whoever runs it. Raises `Missing`."""
        secret = self.folder / "password"
        secret.write_text(self.password, encoding="ascii")
        if os.getuid() == 0:
            shutil.chown(secret, _user(), getpwnam(_user()).pw_gid)
        command = [
            _tool("initdb"), "--pgdata", str(self.data), "--username", "postgres", "--pwfile", str(secret),
            "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False, **_as_user())
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")

    def start(self) -> None:
        """Start the server and return when it takes connections."""
        command = [
            _tool("postgres"), "-D", str(self.data), "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
            "-c", "unix_socket_directories=", "-c", "shared_buffers=32MB", "-c", f"max_connections={CONNECTIONS}",
        ]  # fmt: skip
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **_as_user()
            )
        self._ready(self._process, time.monotonic() + WITHIN_S)

    def stop(self) -> None:
        """Stop the server in good order, connected clients or not; repeatable."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._end()

    def kill(self) -> None:
        """End every process of the server at once; nothing in their memory is written. Return when none is left."""
        if self._process is None:
            return
        # Frozen first, that none is begun meanwhile: while one lives, no server starts over the same data.
        self._process.send_signal(signal.SIGSTOP)
        children = _children(self._process.pid)
        self.send(signal.SIGKILL)
        self._end()
        until = time.monotonic() + WITHIN_S
        while any(map(_lives, children)) and time.monotonic() < until:
            time.sleep(0.01)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to every process of the server, such as one that freezes it."""
        if self._process is not None:
            for process in (self._process, *_children(self._process.pid)):
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(number)

    def _end(self) -> None:
        if self._process is not None:
            try:
                self._process.wait(WITHIN_S)
            except subprocess.TimeoutExpired:
                self.send(signal.SIGKILL)
                self._process.wait(WITHIN_S)
            self._process = None

    @property
    def data(self) -> Path:
        """The server's own folder."""
        return self.folder / "data"

    def _ready(self, process: "subprocess.Popen[bytes]", until: float) -> None:
        # The server's own note: its process on the first line, what it is doing on the last. A killed one leaves its.
        while (note := _text(self.data / "postmaster.pid").split())[:1] != [str(process.pid)] or note[-1] != "ready":
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"PostgreSQL did not start:\n{_text(self.folder / 'server.log')[-2_000:]}")
            time.sleep(0.02)


@contextmanager
def served(folder: Path) -> Generator[Postgres]:
    """Run a server of that folder; it is ended in any case. Raises `Missing`."""
    with _home(folder) as home:
        server = Postgres(home, free_port())
        server.make()
        try:
            server.start()
            yield server
        finally:
            server.stop()


@contextmanager
def running(folder: Path) -> Generator[Variables]:
    """Run PostgreSQL and yield the variable that names it."""
    with served(folder) as server:
        yield {"ENTREPOT_TEST_POSTGRES_URI": server.uri}


def _tool(name: str) -> str:
    newest = sorted(INSTALLED.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]), reverse=True)
    return str(newest[0]) if newest else program(name, package=PACKAGE)


def _user() -> str:
    for name in ("postgres", "nobody"):
        try:
            return getpwnam(name).pw_name
        except KeyError:
            continue
    raise Missing("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")


class _Identity(TypedDict, total=False):
    user: str
    group: int
    extra_groups: list[str]


def _as_user() -> _Identity:
    if os.getuid() != 0:
        return {}
    return {"user": _user(), "group": getpwnam(_user()).pw_gid, "extra_groups": []}


@contextmanager
def _home(folder: Path) -> Generator[Path]:
    """Yield where the server may live: in `folder`, or for root in a folder that the server's user can reach.

    What lies above `folder` is often root's alone, and pytest sees to it that its own folders stay so.
    """
    if os.getuid() != 0:
        yield folder
        return
    with TemporaryDirectory(prefix="entrepot-postgres-") as reachable:
        shutil.chown(reachable, _user(), getpwnam(_user()).pw_gid)
        yield Path(reachable)


def _children(parent: int) -> list[psutil.Process]:
    try:
        return psutil.Process(parent).children()
    except psutil.NoSuchProcess:
        return []


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
