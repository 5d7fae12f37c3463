"""The doors of a real server: the official client on stdio and on HTTP, and the bare wire for what no client sends."""

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, TypeVar

import anyio
import httpx2
from anyio.abc import ByteReceiveStream
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp_types import Tool
from pydantic import BaseModel

from backends.ports.values import Json, JsonObject

DoorKind: TypeAlias = Literal["stdio", "http"]
START_S = 60.0

_LISTENS = re.compile(r"https?://[^\s/]+")
ReplyT = TypeVar("ReplyT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a tool answered: the structured content, the text beside it, and whether it is an error."""

    structured: JsonObject
    text: str
    is_error: bool


class Wire(Protocol):
    """Sends JSON texts as they are, each a request, and returns the answers by request id."""

    async def __call__(self, requests: Sequence[str]) -> Mapping[int, JsonObject]:
        """Send the requests, one after another."""
        ...


@dataclass(frozen=True, slots=True)
class Door:
    """A way into a running server."""

    kind: DoorKind
    client: Client
    tools: Mapping[str, Tool]
    wire: Wire

    async def call(self, tool: str, arguments: JsonObject) -> ToolReply:
        """Call a tool; a reply whose text is not its structured content, or that breaks the published schema, fails."""
        result = await self.client.call_tool(tool, dict(arguments))
        assert result.structured_content is not None, f"{tool} answers without structured content"
        structured: JsonObject = result.structured_content
        text = "".join(content.text for content in result.content if content.type == "text")
        assert json.loads(text) == structured
        schema = self.tools[tool].output_schema
        assert schema is not None, f"{tool} publishes no output schema"
        Draft202012Validator(schema).validate(structured)
        return ToolReply(structured, text, bool(result.is_error))

    async def ask(self, model: type[ReplyT], tool: str, **arguments: Json) -> ReplyT:
        """Call a tool that must succeed, and return its reply in the documented shape."""
        reply = await self.call(tool, arguments)
        assert not reply.is_error, reply.text
        return model.model_validate_json(json.dumps(reply.structured))


@asynccontextmanager
async def opened(kind: DoorKind, profile: str, data: Path) -> AsyncGenerator[Door]:
    """Start a server on a data directory, connect, and stop it at the end."""
    connected = _over_stdio(profile, data) if kind == "stdio" else _over_http(profile, data)
    async with connected as (client, wire):
        listed = (await client.list_tools()).tools
        yield Door(kind, client, {tool.name: tool for tool in listed}, wire)


Connected: TypeAlias = AbstractAsyncContextManager[tuple[Client, Wire]]


def _command(profile: str, data: Path, *transport: str) -> list[str]:
    place = ["--profile", profile, "--data-dir", str(data)]
    # -P: a folder of the current directory must not take the place of one of our packages.
    return [sys.executable, "-P", "-m", "gateway.cli.main", "serve", *transport, *place]


def _environment() -> dict[str, str]:
    """Return an environment in which the server finds our packages and no settings but the suite's."""
    ours = str(Path(__file__).parent.parent)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ENTREPOT_")}
    search = os.pathsep.join([ours, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**kept, "PYTHONPATH": search, "ENTREPOT_LOG__LEVEL": "warning"}


@asynccontextmanager
async def _over_stdio(profile: str, data: Path) -> AsyncGenerator[tuple[Client, Wire]]:
    command = _command(profile, data, "--transport", "stdio")
    server = StdioServerParameters(command=command[0], args=command[1:], env=_environment(), cwd=data)

    async def wire(requests: Sequence[str]) -> Mapping[int, JsonObject]:
        done = await anyio.run_process(
            command, input="".join(f"{request}\n" for request in requests).encode(), env=_environment(), cwd=data
        )
        return _by_id(done.stdout.splitlines())

    async with Client(server) as client:
        yield client, wire


@asynccontextmanager
async def _over_http(profile: str, data: Path) -> AsyncGenerator[tuple[Client, Wire]]:
    command = _command(profile, data, "--transport", "http", "--port", "0")
    async with (
        await anyio.open_process(
            command, env=_environment(), cwd=data, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as process,
        anyio.create_task_group() as group,
    ):
        assert process.stderr is not None
        try:
            with anyio.fail_after(START_S):
                base = await _address(process.stderr)
                group.start_soon(_drain, process.stderr)
                await _ready(base)
            async with Client(f"{base}/mcp/knowledge") as client:
                yield client, _http_wire(f"{base}/mcp/knowledge")
        finally:
            process.terminate()


async def _address(stderr: ByteReceiveStream) -> str:
    """Return the address that the server says it listens on."""
    said = ""
    while (found := _LISTENS.search(said)) is None or "\n" not in said[found.end() :]:
        said += (await stderr.receive()).decode(errors="replace")
    return found.group(0)


async def _drain(stderr: ByteReceiveStream) -> None:
    """Keep the pipe empty so that the server is never held up by it."""
    async for _ in stderr:
        pass


async def _ready(base: str) -> None:
    async with httpx2.AsyncClient() as http:
        while (await http.get(f"{base}/readyz")).status_code != httpx2.codes.OK:
            await anyio.lowlevel.checkpoint()


def _http_wire(url: str) -> Wire:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

    async def wire(requests: Sequence[str]) -> Mapping[int, JsonObject]:
        async with httpx2.AsyncClient() as http:
            replies = [await http.post(url, content=request, headers=headers) for request in requests]
        return _by_id([reply.content for reply in replies])

    return wire


def _by_id(answers: Sequence[bytes]) -> Mapping[int, JsonObject]:
    parsed: list[dict[str, Json]] = [json.loads(answer) for answer in answers if answer.strip()]
    return {answer["id"]: answer for answer in parsed if isinstance(answer.get("id"), int)}  # type: ignore[misc]


def request(number: int, tool: str, arguments: str) -> str:
    """Return a tool call as JSON text; `arguments` is put in as it stands."""
    params = f'{{"name": "{tool}", "arguments": {arguments}}}'
    return f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", "params": {params}}}'
