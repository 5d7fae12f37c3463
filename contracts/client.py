"""Connections to a real server: the official client over stdio and HTTP, and raw messages that no client would send."""

import json
import os
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Literal, Protocol, TypeAlias, TypeVar

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp_types import Tool
from pydantic import BaseModel

from backends.kit.child_process import child_command
from backends.ports.values import Json, JsonObject
from contracts.processes import ServerCommand, Starter, start_process
from contracts.reply_checks import ReplyCheck, reply_check
from contracts.servers import Combination

Transport: TypeAlias = Literal["stdio", "http"]
START_S = 60.0
"""A gateway starts in seconds, but creates the schema of a server's stores first; a machine of CI may be slow."""
PAUSE_S = 0.01
"""Between two looks at a gateway that gets ready; hundreds of starts add them up."""
READY = 200
LATEST = "2026-07-28"

_LISTENS = re.compile(r"https?://[^\s/]+")
ReplyT = TypeVar("ReplyT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ToolReply:
    """A tool's reply: the structured content, the accompanying text, and whether it is an error."""

    structured: JsonObject
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class WireCall:
    """A call whose arguments are JSON text written by the test."""

    tool: str
    arguments: str

    def message(self, number: int) -> str:
        """Return the request as JSON text, in the form of the stateless protocol revision."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": LATEST,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "contracts", "version": "1"},
        }
        params = f'{{"name": "{self.tool}", "arguments": {self.arguments}, "_meta": {json.dumps(meta)}}}'
        return f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", "params": {params}}}'


class Wire(Protocol):
    """Sends calls that no client library would send."""

    async def __call__(self, calls: Sequence[WireCall]) -> Sequence[JsonObject]:
        """Return the responses, in order; a call that was refused without an id is left out."""
        ...


@dataclass(frozen=True, slots=True)
class McpConnection:
    """A connection to a running server over one transport."""

    transport: Transport
    client: Client
    tools: Mapping[str, Tool]
    wire: Wire
    schemas: Mapping[str, ReplyCheck]
    """The checks of replies, for each tool that publishes a schema."""
    base: str | None = None
    """The address below which the server answers HTTP; None on stdio."""

    async def call(self, tool: str, arguments: JsonObject) -> ToolReply:
        """Call a tool. Fails if the text is not the structured content or if the reply breaks the published schema.

        A document may prescribe a bare list or text; the structured content is then an object with it as `result`.
        """
        result = await self.client.call_tool(tool, dict(arguments))
        assert result.structured_content is not None, f"{tool} answers without structured content"
        structured: JsonObject = result.structured_content
        text = "".join(content.text for content in result.content if content.type == "text")
        assert _says(text, structured)
        assert tool in self.schemas, f"{tool} publishes no output schema"
        self.schemas[tool].validate(structured)
        return ToolReply(structured, text, bool(result.is_error))

    async def ask(self, model: type[ReplyT], tool: str, **arguments: Json) -> ReplyT:
        """Call a tool that must succeed, and return its reply in the documented shape."""
        reply = await self.call(tool, arguments)
        assert not reply.is_error, reply.text
        return model.model_validate_json(json.dumps(reply.structured))


@dataclass(frozen=True, slots=True)
class Serving:
    """A server to start: one toolset on a combination of engines, with a data directory and settings by variable."""

    data: Path
    engines: Combination
    toolset: str
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    def command(self, *transport: str) -> ServerCommand:
        """Return the command that starts it."""
        return self.entrepot("serve", "--transport", *transport, "--toolsets", self.toolset)

    def entrepot(self, *words: str) -> ServerCommand:
        """Return a command on the data of the server, with the settings of the server."""
        place = ["--profile", self.engines.profile, "--data-dir", str(self.data)]
        program = child_command("-m", "gateway.cli.main")
        return ServerCommand(program, [*words, *place], self.environment(), self.data)

    def environment(self) -> dict[str, str]:
        """Return an environment with the project's packages and only the suite's settings."""
        ours = str(Path(__file__).parent.parent)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ENTREPOT_")}
        search = os.pathsep.join([ours, *filter(None, [os.environ.get("PYTHONPATH")])])
        return {**kept, "PYTHONPATH": search, "ENTREPOT_LOG__LEVEL": "warning", **self.variables}

    def apart(self) -> "Serving":
        """Return another server of the same kind that shares nothing with this one."""
        data = self.data / "apart"
        data.mkdir(exist_ok=True)
        return replace(self, data=data, variables=self.engines.variables())


@asynccontextmanager
async def opened(
    transport: Transport, serving: Serving, start: Starter = start_process
) -> AsyncGenerator[McpConnection]:
    """Start a server, connect to the endpoint of its toolset, and stop the server at the end.

    `start` starts HTTP servers; the client library starts a server on stdio.
    """
    connected = _over_stdio(serving) if transport == "stdio" else _over_http(serving, start)
    async with connected as (client, wire, base):
        listed = (await client.list_tools()).tools
        yield McpConnection(transport, client, {tool.name: tool for tool in listed}, wire, _checked(listed), base)


def _says(text: str, structured: JsonObject) -> bool:
    """Return whether the text is the structured content, or the value that it wraps."""
    bare = structured.get("result") if set(structured) == {"result"} else structured
    if text == bare:
        return True
    said: Json = json.loads(text)
    return said in (structured, bare)


def _checked(tools: Sequence[Tool]) -> Mapping[str, ReplyCheck]:
    return {tool.name: reply_check(tool.output_schema) for tool in tools if tool.output_schema is not None}


@asynccontextmanager
async def _over_stdio(serving: Serving) -> AsyncGenerator[tuple[Client, Wire, None]]:
    line = serving.command("stdio").line
    server = StdioServerParameters(command=line[0], args=line[1:], env=serving.environment(), cwd=serving.data)

    async def wire(calls: Sequence[WireCall]) -> Sequence[JsonObject]:
        # On separate data: an engine may admit only one process.
        other = serving.apart().command("stdio")
        lines = "".join(f"{call.message(number)}\n" for number, call in enumerate(calls))
        done = await anyio.run_process(other.line, input=lines.encode(), env=other.environment, cwd=other.folder)
        return _answers(done.stdout.splitlines())

    async with Client(server) as client:
        yield client, wire, None


@asynccontextmanager
async def _over_http(serving: Serving, start: Starter) -> AsyncGenerator[tuple[Client, Wire, str]]:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as said:
        with os.fdopen(writing, "wb") as stderr:
            process = start(serving.command("http", "--port", "0"), stderr)
        try:
            async with anyio.create_task_group() as group:
                with anyio.fail_after(START_S):
                    base = await _address(said)
                    group.start_soon(_drain, said)
                    await _ready(base)
                url = f"{base}/mcp/{serving.toolset}"
                async with Client(url) as client:
                    yield client, _http_wire(url), base
                process.terminate()
        finally:
            process.terminate()
            process.wait()


async def _address(stderr: IO[bytes]) -> str:
    """Return the address that the server reports to listen on."""
    said = ""
    while (found := _LISTENS.search(said)) is None or "\n" not in said[found.end() :]:
        if not (more := await _heard(stderr)):
            raise RuntimeError(f"the server ended before it listened:\n{said}")
        said += more.decode(errors="replace")
    return found.group(0)


async def _drain(stderr: IO[bytes]) -> None:
    """Keep the pipe empty so that it never blocks the server."""
    while await _heard(stderr):
        pass


async def _heard(pipe: IO[bytes]) -> bytes:
    """Return the next bytes; empty once the other end is closed."""
    await anyio.wait_readable(pipe)
    return pipe.read(65_536)


async def _ready(base: str) -> None:
    async with _http() as http:
        while (await http.get(f"{base}/readyz")).status_code != READY:  # noqa: ASYNC110 -- another process gets ready
            await anyio.sleep(PAUSE_S)


def _http() -> httpx2.AsyncClient:
    # Without CA certificates, which loopback does not need: loading them takes longer than many calls.
    return httpx2.AsyncClient(verify=False)


def _http_wire(url: str) -> Wire:
    always = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": LATEST,
        "Mcp-Method": "tools/call",
    }

    async def wire(calls: Sequence[WireCall]) -> Sequence[JsonObject]:
        async with _http() as http:
            replies = [
                await http.post(url, content=call.message(number), headers={**always, "Mcp-Name": call.tool})
                for number, call in enumerate(calls)
            ]
        return _answers([reply.content for reply in replies])

    return wire


def _answers(texts: Sequence[bytes]) -> Sequence[JsonObject]:
    parsed: list[JsonObject] = [json.loads(text) for text in texts if text.strip()]
    return [answer for answer in parsed if isinstance(answer.get("id"), int)]
