"""What a client sees of a surface."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace

import pytest
from mcp import Client, MCPError
from pydantic import BaseModel

from backends.ports.values import Json
from gateway import mcp_server as module
from gateway.mcp_server import SurfaceServer, listeners
from gateway.surfaces import Served, Surface, surfaces
from tests.unit.gateway.test_surfaces import served, tool
from toolsets.spec import CallContext, Image, Reply, ResourceSpec, RunningToolset, Toolset


async def names(_arguments: Mapping[str, Json], context: CallContext) -> Reply:
    return Reply({"link": context.served_name("link"), "a": context.served_name("a"), "tool": context.tool})


async def long(_context: CallContext) -> str:
    return "x" * 1_000


@asynccontextmanager
async def client_of(surface: Surface) -> AsyncGenerator[Client]:
    async with Client(SurfaceServer(surface, listeners())) as client:
        yield client


def both() -> tuple[Surface, ...]:
    """Return the surfaces of two toolsets that share a tool's name."""
    left = served("left", tool("link"), replace(tool("names"), call=names))
    return surfaces([left, served("right", tool("link"))])


async def test_a_documented_name_that_is_not_served_is_answered_with_those_that_are() -> None:
    async with client_of(both()[0]) as client:
        with pytest.raises(MCPError, match="Unknown tool: link; here it is left_link or right_link"):
            await client.call_tool("link", {})
        with pytest.raises(MCPError, match=r"Unknown tool: nope$"):
            await client.call_tool("nope", {})


async def test_a_call_knows_the_names_under_which_its_toolset_is_served() -> None:
    unified, own, _ = both()
    async with client_of(unified) as client:
        assert (await client.call_tool("names", {})).structured_content == {
            "link": "left_link",
            "a": "a",
            "tool": "names",
        }
    async with client_of(own) as client:
        assert (await client.call_tool("names", {})).structured_content == {"link": "link", "a": "a", "tool": "names"}


async def test_a_surface_without_resources_answers_empty_lists_of_them() -> None:
    async with client_of(both()[0]) as client:
        assert (await client.list_resources()).resources == []
        assert (await client.list_resource_templates()).resource_templates == []
        with pytest.raises(MCPError, match="Unknown resource: x://a"):
            await client.read_resource("x://a")


def with_resource() -> Surface:
    resource = ResourceSpec("x://long", "long", "Long", "Long.", "text/plain", long)
    running = RunningToolset(resources=(resource,))
    toolset = Toolset("left", "Left", "Use left.", BaseModel, frozenset(), lambda _: nullcontext(running))
    return surfaces([Served(toolset, running)])[0]


async def test_a_surface_without_resource_templates_lists_none() -> None:
    async with client_of(with_resource()) as client:
        assert (await client.list_resource_templates()).resource_templates == []


async def pictures(_arguments: Mapping[str, Json], _context: CallContext) -> Reply:
    return Reply({"a": 1}, text="ä", images=(Image(b"abcd" * 75, "image/png"), Image(b"", "image/gif")))


async def test_a_reply_with_images_is_measured_as_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven bytes of content, two of text, and 400 of an image of 300, in base64."""
    surface, *_ = surfaces([served("left", replace(tool("pictures"), call=pictures))])
    async with client_of(surface) as client:
        monkeypatch.setattr(module, "MAX_REPLY_BYTES", 409)
        sent = (await client.call_tool("pictures", {})).content
        assert [each.type for each in sent] == ["text", "image", "image"]
        monkeypatch.setattr(module, "MAX_REPLY_BYTES", 408)
        assert (await client.call_tool("pictures", {})).structured_content == {"too_large": 408}


async def test_a_resource_beyond_the_limit_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async with client_of(with_resource()) as client:
        assert (await client.read_resource("x://long")).contents
        monkeypatch.setattr(module, "MAX_REPLY_BYTES", 999)
        with pytest.raises(MCPError, match="too large"):
            await client.read_resource("x://long")
