"""Which tools exist on which surface, and under which names."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gateway.errors import Refused
from toolsets.spec import ResourceSpec, RouteSpec, RunningToolset, Toolset, ToolSpec

UNIFIED = "/mcp"
RESERVED_ROUTES = frozenset({UNIFIED, "/livez", "/readyz"})

_NAME = re.compile(r"^[A-Za-z0-9_]{1,60}$")


@dataclass(frozen=True, slots=True)
class Served:
    """An enabled toolset: what it is, and what it brings now that it runs."""

    toolset: Toolset
    running: RunningToolset


@dataclass(frozen=True, slots=True)
class Surface:
    """One MCP endpoint: its tools by published name, sorted, and its resources by URI."""

    path: str
    title: str
    instructions: str
    tools: Mapping[str, ToolSpec]
    resources: Mapping[str, ResourceSpec]


def surfaces(served: Sequence[Served]) -> tuple[Surface, ...]:
    """Return the surface of all toolsets, then one per toolset.

    On the first a name that two toolsets claim carries the toolset's prefix in both, and so does a title the toolset's;
    on the others every name is exactly as documented. Raises `Refused` for tools that cannot be published.
    """
    claims = Counter(tool.name for each in served for tool in each.running.tools)
    titles = Counter(tool.title for each in served for tool in each.running.tools)
    everything = [
        (
            f"{each.toolset.name}_{tool.name}" if claims[tool.name] > 1 else tool.name,
            replace(tool, title=f"{tool.title} ({each.toolset.title})") if titles[tool.title] > 1 else tool,
        )
        for each in served
        for tool in each.running.tools
    ]
    unified = _surface(UNIFIED, "Entrepot", served, everything)
    return (unified, *(_own_surface(each) for each in served))


def routes(served: Sequence[Served]) -> tuple[RouteSpec, ...]:
    """Return the toolsets' HTTP routes. Raises `Refused` where one is claimed twice or belongs to the gateway."""
    found: dict[tuple[str, str], RouteSpec] = {}
    for each in served:
        for route in each.running.routes:
            if route.path in RESERVED_ROUTES or route.path.startswith(f"{UNIFIED}/"):
                raise Refused(f"The toolset {each.toolset.name} claims the route {route.path}, which is the gateway's.")
            if found.setdefault((route.method, route.path), route) is not route:
                raise Refused(f"Two toolsets claim the route {route.method} {route.path}; disable one of them.")
    return tuple(found.values())


def _own_surface(served: Served) -> Surface:
    for tool in served.running.tools:
        _check(tool)
    named = [(tool.name, tool) for tool in served.running.tools]
    return _surface(f"{UNIFIED}/{served.toolset.name}", served.toolset.title, [served], named)


def _surface(path: str, title: str, served: Sequence[Served], named: Sequence[tuple[str, ToolSpec]]) -> Surface:
    tools: dict[str, ToolSpec] = {}
    for name, tool in sorted(named, key=lambda pair: pair[0]):
        if not _NAME.match(name):
            raise Refused(
                f"A tool cannot be published as {name!r}: names have 1 to 60 letters, digits and underscores."
            )
        if tools.setdefault(name, tool) is not tool:
            raise Refused(f"Two tools would be published as {name} on {path}; rename one or disable its toolset.")
    instructions = "\n\n".join(each.toolset.instructions for each in served)
    return Surface(path, title, instructions, tools, dict(_resources(served)))


def _resources(served: Sequence[Served]) -> Iterator[tuple[str, ResourceSpec]]:
    found = [resource for each in served for resource in each.running.resources]
    for uri, claims in Counter(resource.uri for resource in found).items():
        if claims > 1:
            raise Refused(f"The resource {uri} is claimed {claims} times; disable one of the toolsets.")
    return ((resource.uri, resource) for resource in sorted(found, key=lambda each: each.uri))


def _check(tool: ToolSpec) -> None:
    # One array at the root of a schema makes the whole tools/list fail for every client older than 2026-07-28.
    for what, schema in (("input", tool.input_schema), ("output", tool.output_schema)):
        if schema.get("type") != "object":
            raise Refused(f'The {what} schema of {tool.name} must have "type": "object" at its root.')
    if not tool.description.strip():
        raise Refused(f"The tool {tool.name} needs a description: models choose by it.")
