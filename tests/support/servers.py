"""Servers as processes: started, waited for, ended."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.support.ports import free_port
from tests.support.processes import Command, Process, start
from tests.support.raw import HttpCaller

PATIENCE_S = 20.0

BARE = (sys.executable, "-m", "tests.bench.bare")
OURS = (sys.executable, "-m", "gateway.cli.main", "serve")


def ours_on_stdio(data: Path, toolset: str = "knowledge") -> Sequence[str]:
    """Return the command of our server on stdio, serving one toolset."""
    return (*OURS, "--transport", "stdio", "--data-dir", str(data), "--toolsets", toolset)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens."""

    port: int
    process: Process
    path: str = "/mcp"
    callers: list[HttpCaller] = field(default_factory=list[HttpCaller])

    def caller(self, path: str | None = None, **headers: str) -> HttpCaller:
        """Return a new connection, closed when the server ends; `x_channel_id` is the header X-Channel-Id."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        caller = HttpCaller("127.0.0.1", self.port, path or self.path, named)
        self.callers.append(caller)
        return caller

    async def caught_up(self) -> None:
        """Wait until every toolset is well and has no projection to make. Raises `TimeoutError` after 20 s."""
        # Nobody shows a certificate on loopback: to read those of the authorities takes longer than many calls.
        # A toolset that does not answer holds `/readyz` for five seconds, which is the client's own limit.
        async with asyncio.timeout(PATIENCE_S), httpx2.AsyncClient(verify=False, timeout=PATIENCE_S) as http:
            while not await self._is_caught_up(http):
                await asyncio.sleep(0.02)

    async def _is_caught_up(self, http: httpx2.AsyncClient) -> bool:
        reply = await http.get(f"http://127.0.0.1:{self.port}/readyz")
        toolsets: dict[str, dict[str, object]] = reply.json()["toolsets"]
        return reply.is_success and all(each["lag"] == 0 for each in toolsets.values())

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
    async with _listening(_cold((*BARE, "http", str(port))), port, "/mcp") as running:
        yield running


@asynccontextmanager
async def ours_http(
    data: Path, *more: str, toolsets: str = "knowledge", variables: Mapping[str, str] | None = None
) -> AsyncGenerator[Running]:
    """Run our server on HTTP over a data directory, with more flags and variables if given.

    Callers reach the one toolset, or all of several.
    """
    port = free_port()
    words = _words(data, port, toolsets)
    process = start(Command((*words, *more), {**os.environ, **(variables or {})}))
    async with _listening(process, port, _path(toolsets)) as running:
        yield running


@asynccontextmanager
async def ours_http_from_nothing(data: Path, *, toolsets: str = "knowledge") -> AsyncGenerator[Running]:
    """Run our server on HTTP in a process that shares nothing with others, for one that is to be measured."""
    port = free_port()
    process = _cold((sys.executable, "-m", "gateway.cli.main", *_words(data, port, toolsets)))
    async with _listening(process, port, _path(toolsets)) as running:
        yield running


@asynccontextmanager
async def listening_process(command: Sequence[str], port: int, folder: Path) -> AsyncGenerator[Running]:
    """Run a command that is to listen on a port, in a folder, and in a process that shares nothing with others."""
    async with _listening(_cold(command, folder), port, "/mcp") as running:
        yield running


def _words(data: Path, port: int, toolsets: str) -> Sequence[str]:
    place = ("--port", str(port), "--data-dir", str(data), "--toolsets", toolsets)
    return ("serve", "--transport", "http", *place)


def _path(toolsets: str) -> str:
    return "/mcp" if "," in toolsets else f"/mcp/{toolsets}"


def _cold(command: Sequence[str], folder: Path | None = None) -> Process:
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


@asynccontextmanager
async def _listening(process: Process, port: int, path: str) -> AsyncGenerator[Running]:
    running = Running(port, process, path)
    try:
        await _until_open(process, port)
        yield running
    finally:
        for caller in running.callers:
            await caller.close()
        process.terminate()
        await asyncio.to_thread(process.wait)


async def _until_open(process: Process, port: int) -> None:
    for _ in range(3_000):
        if (code := process.poll()) is not None:
            raise RuntimeError(f"the server ended with {code}")
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.01)
        else:
            writer.close()
            return
    raise TimeoutError("the server did not listen within 30 s")
