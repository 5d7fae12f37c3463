"""Which tools stand on which surface."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace

import pytest
from pydantic import BaseModel

from backends.ports.values import Json, JsonObject
from gateway.errors import Refused
from gateway.registry import Served, routes, surfaces
from toolsets.spec import (
    CallContext,
    Effects,
    HttpReply,
    HttpRequest,
    Reply,
    ResourceSpec,
    RouteSpec,
    RunningToolset,
    Toolset,
    ToolSpec,
)

OBJECT: JsonObject = {"type": "object"}


class Wording:
    def timed_out(self, seconds: float) -> Reply:
        return Reply({"late": seconds})

    def failed(self, error: Exception) -> Reply:
        return Reply({"failed": type(error).__name__})


async def echo(arguments: Mapping[str, Json], _context: CallContext) -> Reply:
    return Reply(arguments)


async def answer(request: HttpRequest) -> HttpReply:
    return HttpReply(200, request.path)


async def read(context: CallContext) -> str:
    return context.tool


def tool(name: str) -> ToolSpec:
    return ToolSpec(name, name, f"Does {name}.", OBJECT, OBJECT, Effects(read_only=True), echo, Wording())


def served(name: str, *tools: ToolSpec, paths: tuple[str, ...] = (), uris: tuple[str, ...] = ()) -> Served:
    running = RunningToolset(
        tools=tools,
        routes=tuple(RouteSpec("GET", path, answer) for path in paths),
        resources=tuple(ResourceSpec(uri, uri, uri, uri, "text/plain", read) for uri in uris),
    )
    toolset = Toolset(name, name.title(), f"Use {name}.", BaseModel, frozenset(), lambda _: nullcontext(running))
    return Served(toolset, running)


def test_a_name_stays_unless_two_toolsets_claim_it_and_then_both_carry_their_prefix() -> None:
    unified, left, right = surfaces([served("left", tool("link"), tool("a")), served("right", tool("link"), tool("b"))])
    assert (unified.path, list(unified.tools)) == ("/mcp", ["a", "b", "left_link", "right_link"])
    assert (left.path, list(left.tools)) == ("/mcp/left", ["a", "link"])
    assert (right.path, list(right.tools)) == ("/mcp/right", ["b", "link"])
    assert unified.instructions == "Use left.\n\nUse right."
    assert left.instructions == "Use left."


def test_a_title_that_two_toolsets_have_says_whose_it_is_where_both_stand() -> None:
    both = [replace(tool(name), title="Create entity") for name in ("create", "file")]
    unified, left, right = surfaces([served("left", both[0], tool("a")), served("right", both[1])])
    titles = {name: each.title for name, each in unified.tools.items()}
    assert titles == {"create": "Create entity (Left)", "file": "Create entity (Right)", "a": "a"}
    assert [each.title for surface in (left, right) for each in surface.tools.values()] == ["a", *["Create entity"] * 2]


@pytest.mark.parametrize("name", ["", "a b", "a.b", "x" * 61, "naïve"])
def test_a_name_that_hosts_may_refuse_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="cannot be published"):
        surfaces([served("left", tool(name))])


def test_a_prefixed_name_must_fit_too() -> None:
    long = "x" * 58
    with pytest.raises(Refused, match="cannot be published"):
        surfaces([served("left", tool(long)), served("right", tool(long))])


def test_one_toolset_cannot_bring_a_name_twice() -> None:
    with pytest.raises(Refused, match="Two tools would be published as"):
        surfaces([served("left", tool("a"), tool("a"))])


@pytest.mark.parametrize("schema", ["input_schema", "output_schema"])
def test_a_schema_that_is_no_object_is_refused(schema: str) -> None:
    array: JsonObject = {"type": "array"}
    spec = (
        replace(tool("a"), input_schema=array) if schema == "input_schema" else replace(tool("a"), output_schema=array)
    )
    with pytest.raises(Refused, match='"type": "object"'):
        surfaces([served("left", spec)])


def test_a_tool_without_a_description_is_refused() -> None:
    with pytest.raises(Refused, match="needs a description"):
        surfaces([served("left", replace(tool("a"), description=" "))])


def test_a_resource_claimed_twice_is_refused() -> None:
    with pytest.raises(Refused, match="x://a is claimed 2 times"):
        surfaces([served("left", uris=("x://a",)), served("right", uris=("x://a",))])


def test_routes_claimed_twice_or_taken_from_the_gateway_are_refused() -> None:
    assert [each.path for each in routes([served("left", paths=("/health", "/search"))])] == ["/health", "/search"]
    with pytest.raises(Refused, match="Two toolsets claim the route GET /search"):
        routes([served("left", paths=("/search",)), served("right", paths=("/search",))])
    for path in ("/mcp", "/mcp/right", "/livez", "/readyz"):
        with pytest.raises(Refused, match="which is the gateway's"):
            routes([served("left", paths=(path,))])
