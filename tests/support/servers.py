"""Servers as processes: started, waited for, ended."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.raw import HttpCaller

BARE = (sys.executable, "-m", "tests.bench.bare")
OURS = (sys.executable, "-m", "gateway.cli.main", "serve")


def ours_on_stdio(data: Path, toolset: str = "knowledge") -> Sequence[str]:
    """Return the command of our server on stdio, serving one toolset."""
    return (*OURS, "--transport", "stdio", "--data-dir", str(data), "--toolsets", toolset)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens."""

    port: int
    process: asyncio.subprocess.Process
    path: str = "/mcp"
    callers: list[HttpCaller] = field(default_factory=list[HttpCaller])

    def caller(self, path: str | None = None, **headers: str) -> HttpCaller:
        """Return a new connection, closed when the server ends; `x_channel_id` is the header X-Channel-Id."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        caller = HttpCaller("127.0.0.1", self.port, path or self.path, named)
        self.callers.append(caller)
        return caller

    def cpu_s(self) -> float:
        """Return the processor time that the process has used, to a hundredth of a second."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self) -> float:
        """Return the memory that the process has in use."""
        shown = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(self.process.pid)], capture_output=True, text=True, check=True
        )
        return int(shown.stdout) / 1024


@asynccontextmanager
async def bare_http() -> AsyncGenerator[Running]:
    """Run the bare server on HTTP."""
    port = free_port()
    async with _listening((*BARE, "http", str(port)), Place(port)) as running:
        yield running


@asynccontextmanager
async def ours_http(
    data: Path, *more: str, toolsets: str = "knowledge", variables: Mapping[str, str] | None = None
) -> AsyncGenerator[Running]:
    """Run our server on HTTP over a data directory, with more flags and variables if given.

    Callers reach the one toolset, or all of several.
    """
    port = free_port()
    place = ("--port", str(port), "--data-dir", str(data), "--toolsets", toolsets)
    path = "/mcp" if "," in toolsets else f"/mcp/{toolsets}"
    async with _listening((*OURS, "--transport", "http", *place, *more), Place(port, path, variables or {})) as running:
        yield running


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens and what its environment has besides ours."""

    port: int
    path: str = "/mcp"
    variables: Mapping[str, str] = field(default_factory=dict[str, str])


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def _listening(command: Sequence[str], place: Place) -> AsyncGenerator[Running]:
    process = await asyncio.create_subprocess_exec(
        *command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**os.environ, **place.variables}
    )
    running = Running(place.port, process, place.path)
    try:
        await _until_open(process, place.port)
        yield running
    finally:
        for caller in running.callers:
            await caller.close()
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _until_open(process: asyncio.subprocess.Process, port: int) -> None:
    for _ in range(600):
        if process.returncode is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise TimeoutError("the server did not listen within 30 s")
