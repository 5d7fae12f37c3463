"""A Neo4j as a process: started over a folder, waited for, ended with whoever started it."""

import secrets
import signal
import subprocess
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from tests.services.neo4j.jars import jars
from tests.services.neo4j.java import java_home
from tests.support.ports import free_port

START_TIMEOUT_S: Final = 120.0
STOP_TIMEOUT_S: Final = 60.0
USER: Final = "neo4j"
_SOURCE: Final = Path(__file__).with_name("Neo4jServer.java")
_CONFIGURATION: Final = Path(__file__).with_name("neo4j.conf")
_OPENED: Final = ("java.nio", "java.io", "sun.nio.ch", "java.lang")


@dataclass(frozen=True, slots=True)
class Release:
    """A version of Neo4j, and the Java it runs on."""

    version: str
    java: Sequence[int]
    package: str


PRESENT: Final = Release("2026.09.0", (25, 21), "temurin-25-jdk, from packages.adoptium.net, or openjdk-21-jdk")
LTS: Final = Release("5.26.28", (17, 21), "openjdk-17-jdk")


@dataclass(frozen=True, slots=True)
class Neo4jProcess:
    """A server that answers."""

    port: int
    password: str
    process: "subprocess.Popen[str]"

    @property
    def uri(self) -> str:
        """Where it answers."""
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def variables(self) -> Mapping[str, str]:
        """How the contract suite reaches it."""
        return {
            "ENTREPOT_TEST_NEO4J_URI": self.uri,
            "ENTREPOT_TEST_NEO4J_USER": USER,
            "ENTREPOT_TEST_NEO4J_PASSWORD": self.password,
        }

    def kill(self) -> None:
        """End it without a chance to tidy up."""
        self.process.kill()
        self.process.wait(STOP_TIMEOUT_S)


@contextmanager
def running(folder: Path) -> Generator[Mapping[str, str]]:
    """Run the present Neo4j."""
    with started(PRESENT, folder) as server:
        yield server.variables


@contextmanager
def running_lts(folder: Path) -> Generator[Mapping[str, str]]:
    """Run the Neo4j with long-term support."""
    with started(LTS, folder) as server:
        yield server.variables


@contextmanager
def started(
    release: Release, folder: Path, *, port: int | None = None, password: str | None = None
) -> Generator[Neo4jProcess]:
    """Run a server with its data in `folder`, and end it in any case. Raises `Missing`."""
    java = java_home(*release.java, package=release.package) / "bin" / "java"
    classes = jars(release.version)
    port, password = port or free_port(), password or f"secret-{secrets.token_hex(8)}"
    log = folder / "server.log"
    arguments = (str(folder / "neo4j"), str(port), password, str(_CONFIGURATION))
    command = [str(java), *_flags(), "-cp", f"{classes}/*", str(_SOURCE), *arguments]
    with log.open("a", encoding="utf-8") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
    try:
        _await_ready(process, log)
        yield Neo4jProcess(port, password, process)
    finally:
        _end(process)


def _flags() -> list[str]:
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    # The quick compiler and the small collector: a server for tests lives for a minute, on few cores.
    spare = ["-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    # Nor are the classes proved sound at each start, which takes a sixth of it: a released Neo4j is not what is tried.
    return [*opened, *spare, "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"]


def _await_ready(process: "subprocess.Popen[str]", log: Path) -> None:
    if process.stdout is None:
        raise AssertionError("the output was asked for")
    # Whoever never says a word is ended, which ends the wait for it, too.
    impatience = threading.Timer(START_TIMEOUT_S, process.kill)
    impatience.start()
    try:
        said = _said_ready(process.stdout)
    finally:
        impatience.cancel()
    if not said:
        problem = log.read_text(encoding="utf-8", errors="replace")[-2_000:]
        raise RuntimeError(f"Neo4j did not start, it ended with {process.wait(STOP_TIMEOUT_S)}:\n{problem}")


def _said_ready(output: IO[str]) -> bool:
    return any(line.strip() == "ready" for line in output)


def _end(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_TIMEOUT_S)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
