"""What `entrepot call` prints."""

import json
from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mcp import Client
from mcp_types import CallToolResult, ImageContent, TextContent

from gateway.cli import call
from gateway.client import ServerEnded
from gateway.errors import Refused
from gateway.mcp_server import SurfaceServer, listeners
from gateway.surfaces import Served, surfaces
from tests.unit.gateway.test_surfaces import served, tool


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def calling(monkeypatch: pytest.MonkeyPatch, *toolsets: Served) -> None:
    """Let calls reach the surface of some toolsets."""

    @asynccontextmanager
    async def server(*_: object, **__: object) -> AsyncGenerator[Client]:
        async with Client(SurfaceServer(surfaces(toolsets)[0], listeners())) as client:
            yield client

    monkeypatch.setattr(call, "own_server", server)
    monkeypatch.setattr(call, "running_server", server)


def run(*words: str) -> Result:
    return CliRunner().invoke(call.command, words)


def test_the_reply_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    calling(monkeypatch, served("left", tool("echo")))
    ended = run("echo", "message=a\x1bb", "n:=1")
    assert ended.exit_code == 0, ended.output
    assert ended.output == 'a\\x1bb\n{\n  "n": 1\n}\n'
    assert json.loads(run("echo", "n:=1", "--json").output) == {"n": 1}
    assert run("echo", "n:=1", "--url", "http://localhost:1").exit_code == 0


def test_an_unknown_tool_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    calling(monkeypatch, served("left", tool("echo")))
    for words, told in ((("ecko",), "did you mean echo?"), (("zzzz",), "There are: echo.")):
        ended = run(*words)
        assert (ended.exit_code, told in ended.output) == (2, True), ended.output


@pytest.mark.parametrize(
    "url", ["localhost:1", "ftp://localhost", "", "http://", "http://[::1", "http://localhost:port"]
)
def test_a_url_is_one_of_http(url: str) -> None:
    assert run("echo", "--url", url).exit_code == 2


def test_the_place_has_no_effect_beside_a_url() -> None:
    ended = run("echo", "--url", "http://localhost:1", "--data-dir", "x")
    assert ended.exit_code == 2
    assert "--data-dir would have no effect" in ended.output


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ExceptionGroup("x", [Refused("The token.")]), "The token."),
        (ExceptionGroup("x", [OSError("connection refused")]), "The server did not answer: connection refused."),
        (TimeoutError(), "The server did not answer: TimeoutError."),
    ],
)
def test_an_error_of_the_client_becomes_a_sentence(
    error: Exception, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def failing(*_: object, **__: object) -> AsyncGenerator[Client]:
        raise error
        yield

    monkeypatch.setattr(call, "own_server", failing)
    ended = run("echo")
    assert isinstance(ended.exception, Refused)
    assert str(ended.exception) == told


def test_a_server_that_has_said_why_it_ended_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def ended(*_: object, **__: object) -> AsyncGenerator[Client]:
        raise ServerEnded
        yield

    monkeypatch.setattr(call, "own_server", ended)
    done = run("echo")
    assert (done.exit_code, done.output) == (1, "")


def test_an_error_and_images_are_printed_and_end_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    image = ImageContent(type="image", data=b64encode(b"x" * 1_500).decode(), mime_type="image/png")
    result = CallToolResult(content=[TextContent(type="text", text="no"), image], is_error=True)

    async def reply(*_: object) -> CallToolResult:
        return result

    calling(monkeypatch, served("left", tool("echo")))
    monkeypatch.setattr(call, "_reply", reply)
    ended = run("echo")
    assert (ended.exit_code, ended.output) == (1, "no\n[image/png, 1,500 bytes]\n")
    assert json.loads(run("echo", "--json").output) == ["no"]
