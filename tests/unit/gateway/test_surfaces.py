"""Which tools stand on which surface."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace

import pytest
from pydantic import BaseModel

from backends.ports.values import Json, JsonObject
from gateway.errors import Refused
from gateway.surfaces import Served, routes, surfaces
from tests.support.envelope import PlainEnvelope
from toolsets.spec import (
    CallContext,
    Effects,
    HttpReply,
    HttpRequest,
    Reply,
    ResourceSpec,
    ResourceTemplateSpec,
    RouteSpec,
    RunningToolset,
    Toolset,
    ToolSpec,
)

OBJECT: JsonObject = {"type": "object"}


async def echo(arguments: Mapping[str, Json], _context: CallContext) -> Reply:
    return Reply(arguments)


async def answer(request: HttpRequest) -> HttpReply:
    return HttpReply(200, request.path)


async def read(context: CallContext) -> str:
    return context.tool


def tool(name: str) -> ToolSpec:
    return ToolSpec(name, name, f"Does {name}.", OBJECT, OBJECT, Effects(read_only=True), echo, PlainEnvelope())


def served(
    name: str, *tools: ToolSpec, paths: tuple[str, ...] = (), uris: tuple[str, ...] = (), shipped: bool = True
) -> Served:
    running = RunningToolset(
        tools=tools,
        routes=tuple(RouteSpec("GET", path, answer) for path in paths),
        resources=tuple(ResourceSpec(uri, uri, uri, uri, "text/plain", read) for uri in uris),
    )
    toolset = Toolset(name, name.title(), f"Use {name}.", BaseModel, frozenset(), lambda _: nullcontext(running))
    return Served(toolset, running, shipped=shipped)


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


def test_instructions_of_the_unified_surface_use_the_names_served_there() -> None:
    left = served("left", replace(tool("link"), description="Links."), replace(tool("a"), description="Before link."))
    left = replace(left, toolset=replace(left.toolset, instructions="Use link, not relink."))
    unified, own, _ = surfaces([left, served("right", tool("link"))])
    assert unified.instructions == "Use left_link, not relink.\n\nUse right."
    assert unified.tools["a"].description == "Before left_link."
    assert own.tools["a"].description == "Before link."
    assert unified.served_names["a"] == {"link": "left_link"}
    assert unified.prefixed == {"link": ["left_link", "right_link"]}
    assert not own.served_names
    assert not own.prefixed


def test_schemas_name_other_tools_as_they_are_served() -> None:
    described: JsonObject = {"type": "object", "properties": {"link": {"type": "string", "description": "From link."}}}
    left = served("left", tool("link"), replace(tool("a"), input_schema=described))
    unified, *_ = surfaces([left, served("right", tool("link"))])
    published = unified.tools["a"].input_schema["properties"]
    assert published == {"link": {"type": "string", "description": "From left_link."}}


def test_a_clashing_third_party_toolset_gets_the_prefix() -> None:
    ours = served("left", tool("link"), replace(tool("a"), title="Same"))
    theirs = served("right", tool("link"), replace(tool("b"), title="Same"), shipped=False)
    more = served("third", tool("b"), shipped=False)
    unified, *_ = surfaces([ours, theirs, more])
    assert list(unified.tools) == ["a", "link", "right_b", "right_link", "third_b"]
    assert unified.tools["link"].title == "link"
    assert (unified.tools["a"].title, unified.tools["right_b"].title) == ("Same", "Same (Right)")


def test_a_third_party_toolset_cannot_take_the_prefixed_name_of_a_documented_tool() -> None:
    theirs = served("x", tool("left_link"), shipped=False)
    unified, *_ = surfaces([theirs, served("left", tool("link")), served("right", tool("link"))])
    assert list(unified.tools) == ["left_link", "right_link", "x_left_link"]


@pytest.mark.parametrize("name", ["", "a b", "a.b", "x" * 61, "naïve"])
def test_a_name_that_hosts_may_refuse_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="A tool of the toolset left cannot be published"):
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
    with pytest.raises(Refused, match='of the toolset left, must have "type": "object"'):
        surfaces([served("left", spec)])


def test_a_tool_without_a_description_is_refused() -> None:
    with pytest.raises(Refused, match="The tool a of the toolset left needs a description"):
        surfaces([served("left", replace(tool("a"), description=" "))])


def test_a_resource_claimed_twice_is_refused() -> None:
    with pytest.raises(Refused, match="x://a is claimed 2 times, by left and right"):
        surfaces([served("left", uris=("x://a",)), served("right", uris=("x://a",))])


def test_routes_claimed_twice_or_taken_from_the_gateway_are_refused() -> None:
    assert [each.path for each in routes([served("left", paths=("/health", "/search"))])] == ["/health", "/search"]
    with pytest.raises(Refused, match="Two toolsets claim the route GET /search: left and right"):
        routes([served("left", paths=("/search",)), served("right", paths=("/search",))])
    for path in ("/mcp", "/mcp/right", "/livez", "/readyz"):
        with pytest.raises(Refused, match="which is the gateway's"):
            routes([served("left", paths=(path,))])


@pytest.mark.parametrize("path", ["", "/", "search", "/search/", "/a/{id}", "/a b", "/a%20b", "/a?b=c"])
def test_a_route_that_is_no_plain_path_is_refused(path: str) -> None:
    with pytest.raises(Refused, match="a route is a path of letters"):
        routes([served("left", paths=(path,))])


def with_templates(name: str, *templates: str) -> Served:
    specs = tuple(ResourceTemplateSpec(text, text, text, text, "text/plain", read_one) for text in templates)
    bare = served(name)
    return replace(bare, running=RunningToolset(resource_templates=specs))


async def read_one(values: Mapping[str, str], _context: CallContext) -> str:
    return "".join(values.values())


def test_templates_stand_on_the_surfaces_of_their_toolset_the_most_literal_first() -> None:
    unified, left, right = surfaces(
        [with_templates("left", "x://{a}/b", "x://a/{b}"), with_templates("right", "y://{c}")]
    )
    assert [template.text for template, _ in unified.templates] == ["x://a/{b}", "y://{c}", "x://{a}/b"]
    assert [template.text for template, _ in left.templates] == ["x://a/{b}", "x://{a}/b"]
    assert [template.text for template, _ in right.templates] == ["y://{c}"]


def test_two_templates_that_match_the_same_resources_are_refused() -> None:
    with pytest.raises(Refused, match=r"x://\{a\} of left and x://\{b\} of right"):
        surfaces([with_templates("left", "x://{a}"), with_templates("right", "x://{b}")])
