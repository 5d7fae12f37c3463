"""The surfaces: their tools, resources and routes, and the published names."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from backends.ports.values import Json, JsonObject
from gateway.errors import Refused
from gateway.uri_templates import UriTemplate, uri_template
from toolsets.spec import ResourceSpec, ResourceTemplateSpec, RouteSpec, RunningToolset, Toolset, ToolSpec

UNIFIED = "/mcp"
RESERVED_ROUTES = frozenset({UNIFIED, "/livez", "/readyz"})

_NAME = re.compile(r"^[A-Za-z0-9_]{1,60}$")
_ROUTE = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")


@dataclass(frozen=True, slots=True)
class Served:
    """An enabled toolset, with its running parts."""

    toolset: Toolset
    running: RunningToolset
    shipped: bool = True
    """Whether it comes with Entrepot. If names clash, the tool of any other toolset is renamed."""


@dataclass(frozen=True, slots=True)
class Surface:
    """One MCP endpoint: its tools by published name, sorted, its resources by URI, and its resource templates."""

    path: str
    title: str
    instructions: str
    tools: Mapping[str, ToolSpec]
    resources: Mapping[str, ResourceSpec]
    templates: Sequence[tuple[UriTemplate, ResourceTemplateSpec]]
    """In the order in which they are matched."""
    served_names: Mapping[str, Mapping[str, str]]
    """By published name: the names of renamed tools of the same toolset, by documented name."""
    prefixed: Mapping[str, Sequence[str]]
    """By documented name that is not published: the published names of the tools that have it."""


@dataclass(frozen=True, slots=True)
class _PublishedTool:
    """A tool of a surface, with its toolset."""

    name: str
    tool: ToolSpec
    toolset: str


def surfaces(served: Sequence[Served]) -> tuple[Surface, ...]:
    """Return the surface of all toolsets, then one for each toolset, on which every name is as documented.

    On the first, a documented name that two toolsets claim is prefixed with the toolset's name in both, and so is a third
    party's name that is claimed elsewhere; instructions and descriptions use the published names. The toolset's title is
    added to titles that clash. Raises `Refused` for tools that cannot be published.
    """
    own = [_own_surface(each) for each in served]
    names = _unified_names(served)
    titles = _unified_titles(served)
    published = [
        _PublishedTool(names[toolset][tool.name], replace(tool, title=titles[toolset][tool.name]), toolset)
        for toolset, tool in _tools(served)
    ]
    return (_surface(UNIFIED, "Entrepot", served, published), *own)


def routes(served: Sequence[Served]) -> tuple[RouteSpec, ...]:
    """Return the toolsets' HTTP routes. Raises `Refused` for one claimed twice, one of the gateway's, or an invalid path."""
    found: dict[tuple[str, str], str] = {}
    for each in served:
        name = each.toolset.name
        for route in each.running.routes:
            if route.path in RESERVED_ROUTES or route.path.startswith(f"{UNIFIED}/"):
                raise Refused(f"The toolset {name} claims the route {route.path}, which is the gateway's.")
            if not _ROUTE.fullmatch(route.path):
                raise Refused(
                    f"The toolset {name} claims the route {route.path!r}; a route is a path of letters, digits and . _ ~ - "
                    "between slashes."
                )
            if (route.method, route.path) in found:
                raise Refused(
                    f"Two toolsets claim the route {route.method} {route.path}: {found[route.method, route.path]} and "
                    f"{name}; disable one of them."
                )
            found[route.method, route.path] = name
    return tuple(route for each in served for route in each.running.routes)


def _tools(served: Iterable[Served]) -> Iterator[tuple[str, ToolSpec]]:
    return ((each.toolset.name, tool) for each in served for tool in each.running.tools)


def _unified_names(served: Sequence[Served]) -> Mapping[str, Mapping[str, str]]:
    """Return the name of each tool on the surface of all toolsets, by toolset and documented name."""
    documented = Counter(tool.name for _, tool in _tools(each for each in served if each.shipped))
    others = Counter(tool.name for _, tool in _tools(each for each in served if not each.shipped))
    names: dict[str, dict[str, str]] = {each.toolset.name: {} for each in served}
    for each in sorted(served, key=lambda each: not each.shipped):
        toolset = each.toolset.name
        taken = {*documented, *(name for own in names.values() for name in own.values())}
        for tool in each.running.tools:
            stays = documented[tool.name] == 1 if each.shipped else tool.name not in taken and others[tool.name] == 1
            names[toolset][tool.name] = tool.name if stays else f"{toolset}_{tool.name}"
    return names


def _unified_titles(served: Sequence[Served]) -> Mapping[str, Mapping[str, str]]:
    documented = Counter(tool.title for _, tool in _tools(each for each in served if each.shipped))
    everything = Counter(tool.title for _, tool in _tools(served))
    titles: dict[str, dict[str, str]] = {each.toolset.name: {} for each in served}
    for each in served:
        for tool in each.running.tools:
            stays = (documented if each.shipped else everything)[tool.title] == 1
            titles[each.toolset.name][tool.name] = tool.title if stays else f"{tool.title} ({each.toolset.title})"
    return titles


def _own_surface(served: Served) -> Surface:
    name = served.toolset.name
    for tool in served.running.tools:
        _check(name, tool)
    published = [_PublishedTool(tool.name, tool, name) for tool in served.running.tools]
    return _surface(f"{UNIFIED}/{name}", served.toolset.title, [served], published)


def _surface(path: str, title: str, served: Sequence[Served], published: Sequence[_PublishedTool]) -> Surface:
    renamed: dict[str, dict[str, str]] = {each.toolset.name: {} for each in served}
    for each in published:
        if each.name != each.tool.name:
            renamed[each.toolset][each.tool.name] = each.name
    known: dict[str, _PublishedTool] = {}
    for each in sorted(published, key=lambda each: each.name):
        if not _NAME.match(each.name):
            raise Refused(
                f"A tool of the toolset {each.toolset} cannot be published as {each.name!r}: "
                "names have 1 to 60 letters, digits and underscores."
            )
        former = known.setdefault(each.name, each)
        if former is not each:
            toolsets = " and ".join(sorted({former.toolset, each.toolset}))
            raise Refused(
                f"Two tools would be published as {each.name} on {path}, of the toolset {toolsets}; "
                "rename one or disable its toolset."
            )
    texts = (_with_names(each.toolset.instructions, renamed[each.toolset.name]) for each in served)
    prefixed: dict[str, list[str]] = {}
    for each in known.values():
        if each.tool.name not in known:
            prefixed.setdefault(each.tool.name, []).append(each.name)
    return Surface(
        path=path,
        title=title,
        instructions="\n\n".join(texts),
        tools={name: _with_published_names(each.tool, renamed[each.toolset]) for name, each in known.items()},
        resources=dict(_resources(served)),
        templates=_templates(served),
        served_names={name: renamed[each.toolset] for name, each in known.items() if renamed[each.toolset]},
        prefixed=prefixed,
    )


def _with_published_names(tool: ToolSpec, names: Mapping[str, str]) -> ToolSpec:
    """Return the tool with the published names of other tools in its description and schemas."""
    if not names:
        return tool
    return replace(
        tool,
        description=_with_names(tool.description, names),
        input_schema=_described(tool.input_schema, names),
        output_schema=_described(tool.output_schema, names),
    )


def _described(schema: JsonObject, names: Mapping[str, str]) -> JsonObject:
    return {key: _described_part(key, part, names) for key, part in schema.items()}


def _described_part(key: str, part: Json, names: Mapping[str, str]) -> Json:
    match part:
        case str():
            return _with_names(part, names) if key == "description" else part
        case Mapping():
            return _described(part, names)
        case Sequence():
            return [_described_part("", each, names) for each in part]
        case _:
            return part


def _with_names(text: str, names: Mapping[str, str]) -> str:
    """Return a text with the names of tools replaced, if they are whole words."""
    if not names:
        return text
    pattern = rf"\b(?:{'|'.join(map(re.escape, names))})\b"
    return re.sub(pattern, lambda found: names[found[0]], text)


def _resources(served: Sequence[Served]) -> Iterator[tuple[str, ResourceSpec]]:
    claims: dict[str, list[str]] = {}
    for each in served:
        for resource in each.running.resources:
            claims.setdefault(resource.uri, []).append(each.toolset.name)
    for uri, toolsets in claims.items():
        if len(toolsets) > 1:
            raise Refused(
                f"The resource {uri} is claimed {len(toolsets)} times, by {' and '.join(toolsets)}; "
                "disable one of the toolsets."
            )
    found = (resource for each in served for resource in each.running.resources)
    return ((resource.uri, resource) for resource in sorted(found, key=lambda each: each.uri))


def _templates(served: Sequence[Served]) -> Sequence[tuple[UriTemplate, ResourceTemplateSpec]]:
    found: list[tuple[UriTemplate, ResourceTemplateSpec]] = []
    claims: dict[tuple[str, ...], str] = {}
    for each in served:
        for spec in each.running.resource_templates:
            template = uri_template(spec.uri_template, each.toolset.name)
            if template.shape in claims:
                raise Refused(
                    f"Two resource templates match the same resources: {claims[template.shape]} and {spec.uri_template} "
                    f"of {each.toolset.name}; disable one of the toolsets."
                )
            claims[template.shape] = f"{spec.uri_template} of {each.toolset.name}"
            found.append((template, spec))
    return sorted(found, key=lambda each: each[0].order)


def _check(toolset: str, tool: ToolSpec) -> None:
    # An array at the root of one schema makes all of tools/list fail in clients older than 2026-07-28.
    for what, schema in (("input", tool.input_schema), ("output", tool.output_schema)):
        if schema.get("type") != "object":
            raise Refused(
                f'The {what} schema of {tool.name}, of the toolset {toolset}, must have "type": "object" at its root.'
            )
    if not tool.description.strip():
        raise Refused(f"The tool {tool.name} of the toolset {toolset} needs a description: models choose by it.")
