"""Real server processes that serve the demo toolset, and ways to talk to them."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from mcp_types import CallToolResult

from gateway.plugins import installed, is_shipped
from tests.support.processes import PACKAGES, Child, Command, piped, run

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

SHIPPED = sorted(name for name in installed() if is_shipped(name))
NO_OTHERS = "".join(f"[toolsets.{name}]\nenabled = false\n" for name in SHIPPED)
"""Switches off every toolset that comes with Entrepot."""

NO_RIVAL = "[toolsets.rival]\nenabled = false\n"
DEMO = f"""
{NO_OTHERS}
{NO_RIVAL}
[toolsets.demo]
embedder = "shelf"

[stores.shelf]
kind = "shelf"
"""

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
}

WRONG_PARAMS: list[tuple[dict[str, object], str]] = [
    ({"method": "tools/call"}, "params must be an object with name"),
    ({"method": "tools/call", "params": None}, "params must be an object with name"),
    ({"method": "tools/call", "params": {"name": 1}}, "params.name must be a text"),
    ({"method": "tools/call", "params": {"name": "echo", "arguments": []}}, "params.arguments must be an object"),
    ({"method": "tools/call", "params": {"name": "echo", "_meta": 1}}, "params._meta must be an object"),
    ({"method": "resources/read", "params": {}}, "params.uri must be a text"),
]
"""Requests without what their method needs, and how they are refused."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Home:
    """A folder with a configuration and a data directory, in which the command runs."""

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def shelf(self) -> Path:
        return self.data / "shelf"

    def configure(self, text: str) -> None:
        (self.folder / "entrepot.toml").write_text(text, encoding="utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("ENTREPOT_")}
        path = os.pathsep.join([str(PACKAGES), str(HERE / "toolset")])
        return {**clean, "PYTHONPATH": path, "ENTREPOT_DATA_DIR": str(self.data), **more}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-P", "-m", "gateway.cli.main", *words]

    def run(self, *words: str, stdin: str = "", **more: str) -> "subprocess.CompletedProcess[str]":
        return run(Command(words, self.environment(**more), self.folder), stdin)

    def start(self, *words: str, **more: str) -> Child:
        with (self.folder / "stderr").open("wb") as stderr:
            return piped(Command(words, self.environment(**more), self.folder), stderr)

    def said(self) -> str:
        return (self.folder / "stderr").read_text(encoding="utf-8")


def furnished(folder: Path) -> Home:
    found = Home(folder)
    found.configure(DEMO)
    found.data.mkdir()
    found.shelf.touch()
    return found


@contextmanager
def http_server(home: Home, *words: str, **more: str) -> Generator[tuple[str, Child], None, None]:
    """Run an HTTP server on a free port; yield its URL and its process."""
    process = home.start("serve", "--transport", "http", "--port", "0", *words, **more)
    try:
        yield _url(home, process), process
    finally:
        process.kill()
        process.communicate()


def _url(home: Home, process: Child) -> str:
    """Wait for the server's announcement, which is complete when the line to paste is there."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        if "mcpServers" in home.said() and (found := re.search(r"listens on (http://\S+)", home.said())):
            return found[1]
        time.sleep(0.02)
    raise AssertionError(home.said())


def legacy_opening() -> list[dict[str, object]]:
    """Return the handshake of a client of 2025-11-25."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}
    return [request(0, "initialize", client), {"jsonrpc": "2.0", "method": "notifications/initialized"}]


def request(number: int | str, method: str, params: Mapping[str, object]) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: int | str, tool: str, arguments: dict[str, object] | None = None) -> dict[str, object]:
    return request(number, "tools/call", {"name": tool, "arguments": arguments or {}})


def modern_call(number: int, tool: str, arguments: dict[str, object] | None = None) -> dict[str, object]:
    return request(number, "tools/call", {"name": tool, "arguments": arguments or {}, "_meta": MODERN})


def lines(messages: Sequence[object]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def at(tree: object, *path: str | int) -> object:
    """Return what stands at a path in decoded JSON."""
    for step in path:
        if isinstance(step, str):
            assert isinstance(tree, Mapping)
            tree = cast("Mapping[str, object]", tree)[step]
        else:
            assert isinstance(tree, list)
            tree = cast("list[object]", tree)[step]
    return tree


def text_of(reply: CallToolResult) -> str:
    """Return the text that a reply shows to the model."""
    return "".join(each.text for each in reply.content if each.type == "text")


class Steps:
    """What a client is told of a call's progress."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, float | None, str | None]] = []

    async def note(self, progress: float, total: float | None, message: str | None) -> None:
        self.seen.append((progress, total, message))


STEPS = [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]
