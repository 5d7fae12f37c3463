"""The low-level MCP servers, one per surface: what they list, and how calls and replies cross."""

import json
from collections.abc import Mapping
from typing import TypeAlias, cast

import mcp_types as wire
import orjson
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from starlette.requests import Request

from backends.ports.values import JsonObject
from gateway.dispatch import answered, dispatch
from gateway.leniency import arguments_of
from gateway.registry import Surface
from gateway.security.channel import channel_of
from gateway.security.principal import principal_of
from gateway.version import installed_version
from toolsets.spec import CallContext, Progress, Reply, ResourceSpec, ToolSpec, no_progress

LIST_TTL_MS = 60_000

NoState: TypeAlias = dict[str, object]
Call: TypeAlias = "ServerRequestContext[NoState, Request]"


class SurfaceServer(Server[NoState]):
    """An MCP server that says the same about list changes over HTTP as over stdio."""

    def __init__(self, surface: Surface, listeners: ListenHandler) -> None:
        """Serve the surface's tools and resources; open listen streams belong to `listeners`."""
        handlers = _Handlers(surface)
        hint = CacheHint(ttl_ms=LIST_TTL_MS, scope="private")
        super().__init__(
            "entrepot",
            version=installed_version(),
            title=surface.title,
            instructions=surface.instructions,
            on_list_tools=handlers.list_tools,
            on_call_tool=handlers.call_tool,
            on_list_resources=handlers.list_resources if surface.resources else None,
            on_read_resource=handlers.read_resource if surface.resources else None,
            on_subscriptions_listen=listeners,
            get_tool_input_schema=handlers.input_schemas.get,
            cache_hints={"tools/list": hint, "resources/list": hint, "server/discover": hint},
        )
        self.middleware.clear()  # spans nobody collects cost 40 microseconds a call

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, object]] | None = None,
        extensions: dict[str, dict[str, object]] | None = None,
    ) -> InitializationOptions:
        """Announce list changes by default: the HTTP transport asks without options."""
        options = notification_options or NotificationOptions(resources_changed=True, tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def listeners() -> ListenHandler:
    """Return what serves `subscriptions/listen`; close it before shutdown, or its streams hold the server."""
    return ListenHandler(InMemorySubscriptionBus())


def published(name: str, tool: ToolSpec) -> wire.Tool:
    """Return a tool as clients see it."""
    return wire.Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        output_schema=dict(tool.output_schema),
        annotations=wire.ToolAnnotations(
            read_only_hint=tool.effects.read_only,
            destructive_hint=tool.effects.destructive,
            idempotent_hint=tool.effects.idempotent,
            open_world_hint=False,
        ),
    )


def result_of(reply: Reply) -> wire.CallToolResult:
    """Return a reply in the protocol's terms: structured content, and the same as JSON text unless it brings its own."""
    structured = reply.structured
    try:
        text = orjson.dumps(structured).decode()
    except orjson.JSONEncodeError:
        # A lone surrogate, echoed from the caller's own argument, has no form in UTF-8.
        text = json.dumps(structured, ensure_ascii=False).encode("utf-8", "replace").decode()
        structured = cast("JsonObject", json.loads(text))
    return wire.CallToolResult(
        content=[wire.TextContent(type="text", text=text if reply.text is None else reply.text)],
        structured_content=structured,
        is_error=reply.is_error,
        _meta=dict(reply.meta) or None,
    )


class _Handlers:
    """The surface's lists, built once, and the way in for calls."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        tools = [published(name, tool) for name, tool in surface.tools.items()]
        self.input_schemas: Mapping[str, dict[str, object]] = {tool.name: tool.input_schema for tool in tools}
        self._tools = wire.ListToolsResult(tools=tools)
        self._resources = wire.ListResourcesResult(resources=[_resource(each) for each in surface.resources.values()])

    async def list_tools(self, context: Call, params: wire.PaginatedRequestParams | None) -> wire.ListToolsResult:
        return self._tools

    async def call_tool(self, context: Call, params: wire.CallToolRequestParams) -> wire.CallToolResult:
        tool = self._surface.tools.get(params.name)
        if tool is None:
            raise MCPError(wire.INVALID_PARAMS, f"Unknown tool: {params.name}")
        sent = arguments_of(context.request.scope) if context.request is not None else None
        arguments = (params.arguments if sent is None else sent) or {}
        return result_of(await dispatch(tool, arguments, call_context(context, tool.name, tool.deadline_s)))

    async def list_resources(
        self, context: Call, params: wire.PaginatedRequestParams | None
    ) -> wire.ListResourcesResult:
        return self._resources

    async def read_resource(self, context: Call, params: wire.ReadResourceRequestParams) -> wire.ReadResourceResult:
        uri = str(params.uri)
        resource = self._surface.resources.get(uri)
        if resource is None:
            raise MCPError(wire.INVALID_PARAMS, f"Unknown resource: {uri}", data={"uri": uri})
        call = call_context(context, uri, CallContext.__dataclass_fields__["deadline_s"].default)
        text = await answered(lambda: resource.read(call), call, _ResourceWording(uri))
        content = wire.TextResourceContents(uri=uri, mime_type=resource.mime_type, text=text)
        return wire.ReadResourceResult(contents=[content])


class _ResourceWording:
    """Resources have no envelope: their failures are protocol errors."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def timed_out(self, seconds: float) -> str:
        raise MCPError(wire.INTERNAL_ERROR, f"Reading took longer than {seconds:g} s", data={"uri": self._uri})

    def failed(self, error: Exception) -> str:
        raise MCPError(wire.INTERNAL_ERROR, "Reading failed", data={"uri": self._uri})


def call_context(context: Call, tool: str, deadline_s: float) -> CallContext:
    """Return who calls and how, in the toolsets' terms."""
    request = context.request
    headers: Mapping[str, str] = request.headers if request is not None else {}
    client = context.session.client_params
    return CallContext(
        tool=tool,
        request_id=str(context.request_id),
        principal=principal_of(request.scope) if request is not None else None,
        client=f"{client.client_info.name}/{client.client_info.version}" if client is not None else None,
        channel=channel_of(request.scope) if request is not None else None,
        headers=headers,
        deadline_s=deadline_s,
        progress=_progress(context),
    )


def _progress(context: Call) -> Progress:
    if not context.meta or "progress_token" not in context.meta:
        return no_progress
    session = context.session

    async def report(done: float, total: float | None = None, message: str | None = None) -> None:
        await session.report_progress(done, total, message)

    return report


def _resource(spec: ResourceSpec) -> wire.Resource:
    return wire.Resource(
        uri=spec.uri, name=spec.name, title=spec.title, description=spec.description, mime_type=spec.mime_type
    )
