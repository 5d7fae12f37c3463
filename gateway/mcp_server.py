"""The MCP servers, one for each surface: lists, calls and replies in the protocol's terms."""

import base64
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeAlias

import mcp_types as wire
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from starlette.requests import Request

from config.suggestion import did_you_mean
from gateway.dispatch import MAX_REPLY_BYTES, dispatch, reply_within_deadline
from gateway.security.principals import MAX_CALLER_TEXT, channel_of, principal_of, user_agent_of
from gateway.surfaces import Surface
from gateway.surrogates import arguments_of, encoded
from gateway.uri_templates import MAX_URI
from gateway.value_limit import left_out
from gateway.version import installed_version
from toolsets.replies import escaped_length
from toolsets.reports import Progress, no_progress
from toolsets.spec import (
    DEADLINE_S,
    CallContext,
    Envelope,
    Reply,
    ResourceNotFound,
    ResourceSpec,
    ResourceTemplateSpec,
    ToolSpec,
)

log = logging.getLogger("entrepot.calls")

LIST_TTL_MS = 60_000
"""Lists change only when the server starts with other settings; a client sees that a minute later at most."""
_UNCHANGED: Mapping[str, str] = {}

NoState: TypeAlias = dict[str, object]
Call: TypeAlias = "ServerRequestContext[NoState, Request]"


class SurfaceServer(Server[NoState]):
    """An MCP server that announces list changes over HTTP as over stdio."""

    def __init__(self, surface: Surface, listeners: ListenHandler) -> None:
        """Serve the tools and resources of a surface; `listeners` holds the open listen streams."""
        handlers = _Handlers(surface)
        hint = CacheHint(ttl_ms=LIST_TTL_MS, scope="private")
        super().__init__(
            "entrepot",
            version=installed_version(),
            title=surface.title,
            instructions=surface.instructions,
            on_list_tools=handlers.list_tools,
            on_list_resources=handlers.list_resources,
            on_list_resource_templates=handlers.list_templates,
            on_read_resource=handlers.read_resource,
            on_subscriptions_listen=listeners,
            get_tool_input_schema=handlers.input_schemas.get,
            cache_hints={
                "tools/list": hint,
                "resources/list": hint,
                "resources/templates/list": hint,
                "server/discover": hint,
            },
        )
        self.add_request_handler("tools/call", wire.CallToolRequestParams, handlers.call_tool)
        self.middleware.clear()  # unused spans cost 40 microseconds per call

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, object]] | None = None,
        extensions: dict[str, dict[str, object]] | None = None,
    ) -> InitializationOptions:
        """Announce list changes by default, because the HTTP transport passes no options."""
        options = notification_options or NotificationOptions(resources_changed=True, tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def listeners() -> ListenHandler:
    """Return the handler of `subscriptions/listen`; close it before shutdown, because its streams never end."""
    return ListenHandler(InMemorySubscriptionBus())


def wire_tool(name: str, tool: ToolSpec) -> wire.Tool:
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


def result_of(reply: Reply, envelope: Envelope) -> wire.CallToolResult:
    """Return a reply in the protocol's terms: structured content, its JSON (or the reply's own text), images.

    A reply that would be sent as more than 8 MB (content, text with its quotes escaped, and images) is replaced by the
    envelope's error.
    """
    text, structured = encoded(reply.structured)
    own = None if reply.text is None else reply.text.encode("utf-8", "replace")
    images_length = sum(_base64_length(image.data) for image in reply.images)
    size = len(text) + escaped_length(text if own is None else own) + images_length
    if size > MAX_REPLY_BYTES:
        log.warning("A reply of %d bytes was not sent: at most %d are", size, MAX_REPLY_BYTES)
        return result_of(envelope.too_large(MAX_REPLY_BYTES), envelope)
    shown = wire.TextContent(type="text", text=(text if own is None else own).decode())
    images = [
        wire.ImageContent(type="image", data=_base64(each.data), mime_type=each.mime_type) for each in reply.images
    ]
    return wire.CallToolResult(
        content=[shown, *images],
        structured_content=structured,
        is_error=reply.is_error,
        _meta=dict(reply.meta) or None,
    )


def as_sent(result: wire.CallToolResult) -> dict[str, object]:
    """Return a result as the library would dump it, without a copy of its structured content, which it also makes later."""
    contents = [each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in result.content]
    return {
        **({} if result.meta is None else {"_meta": result.meta}),
        "content": contents,
        "structuredContent": result.structured_content,
        "isError": result.is_error,
        "resultType": result.result_type,
    }


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _base64_length(data: bytes) -> int:
    return (len(data) + 2) // 3 * 4


class _Handlers:
    """The lists of a surface, built once, and its calls."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        tools = [wire_tool(name, tool) for name, tool in surface.tools.items()]
        self.input_schemas: Mapping[str, dict[str, object]] = {tool.name: tool.input_schema for tool in tools}
        self._tools = wire.ListToolsResult(tools=tools)
        self._resources = wire.ListResourcesResult(resources=[_resource(each) for each in surface.resources.values()])
        templates = [_template(spec) for _, spec in surface.templates]
        self._templates = wire.ListResourceTemplatesResult(resource_templates=templates)

    async def list_tools(self, context: Call, params: wire.PaginatedRequestParams | None) -> wire.ListToolsResult:
        return self._tools

    async def call_tool(self, context: Call, params: wire.CallToolRequestParams) -> dict[str, object]:
        tool = self._surface.tools.get(params.name)
        if tool is None:
            raise MCPError(wire.INVALID_PARAMS, _unknown(params.name, self._surface))
        sent = arguments_of(context.request.scope) if context.request is not None else None
        arguments = (params.arguments if sent is None else sent) or {}
        if problems := left_out(arguments):
            return as_sent(result_of(tool.envelope.invalid_arguments(problems), tool.envelope))
        names = self._surface.served_names.get(params.name, _UNCHANGED)
        call = call_context(context, tool.name, tool.deadline_s, names)
        return as_sent(result_of(await dispatch(tool, arguments, call), tool.envelope))

    async def list_resources(
        self, context: Call, params: wire.PaginatedRequestParams | None
    ) -> wire.ListResourcesResult:
        return self._resources

    async def list_templates(
        self, context: Call, params: wire.PaginatedRequestParams | None
    ) -> wire.ListResourceTemplatesResult:
        return self._templates

    async def read_resource(self, context: Call, params: wire.ReadResourceRequestParams) -> wire.ReadResourceResult:
        uri = str(params.uri)
        if len(uri) > MAX_URI:
            raise MCPError(wire.INVALID_PARAMS, f"A resource's URI has at most {MAX_URI} characters")
        call = call_context(context, uri)
        reading = self._reading(uri, call)
        if reading is None:
            raise _not_found(uri, did_you_mean(uri, self._surface.resources))
        mime_type, read = reading
        content = await reply_within_deadline(partial(_unless_missing, read), call, _ResourceFailures(uri))
        if isinstance(content, ResourceNotFound):
            raise _not_found(uri, message=str(content))
        size = (
            _base64_length(content)
            if isinstance(content, bytes)
            else escaped_length(content.encode("utf-8", "replace"))
        )
        if size > MAX_REPLY_BYTES:
            raise MCPError(wire.INTERNAL_ERROR, "The resource is too large to be sent", data={"uri": uri})
        return wire.ReadResourceResult(contents=[_contents(uri, mime_type, content)])

    def _reading(self, uri: str, call: CallContext) -> tuple[str, Callable[[], Awaitable[str | bytes]]] | None:
        """Return the MIME type and the reader of a resource: that of the URI, or of the first template that matches."""
        resource = self._surface.resources.get(uri)
        if resource is not None:
            return resource.mime_type, partial(resource.read, call)
        for template, spec in self._surface.templates:
            values = template.match(uri)
            if values is not None:
                return spec.mime_type, partial(spec.read, values, call)
        return None


async def _unless_missing(read: Callable[[], Awaitable[str | bytes]]) -> str | bytes | ResourceNotFound:
    """Return `ResourceNotFound` instead of raising it, so that it is not logged as an error."""
    try:
        return await read()
    except ResourceNotFound as missing:
        return missing


def _not_found(uri: str, hint: str = "", message: str = "") -> MCPError:
    return MCPError(wire.INVALID_PARAMS, message or f"Unknown resource: {uri}{hint}", data={"uri": uri})


def _contents(uri: str, mime_type: str, content: str | bytes) -> wire.TextResourceContents | wire.BlobResourceContents:
    if isinstance(content, bytes):
        return wire.BlobResourceContents(uri=uri, mime_type=mime_type, blob=_base64(content))
    return wire.TextResourceContents(uri=uri, mime_type=mime_type, text=content)


class _ResourceFailures:
    """The failures of resources, which have no envelope, as protocol errors."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def timed_out(self, seconds: float) -> str:
        raise MCPError(wire.INTERNAL_ERROR, f"Reading took longer than {seconds:g} s", data={"uri": self._uri})

    def failed(self, error: Exception) -> str:
        raise MCPError(wire.INTERNAL_ERROR, "Reading failed", data={"uri": self._uri})


def _unknown(name: str, surface: Surface) -> str:
    prefixed = surface.prefixed.get(name)
    hint = f"; here it is {' or '.join(prefixed)}" if prefixed else did_you_mean(name, surface.tools)
    return f"Unknown tool: {name:.100}{hint}"


def call_context(
    context: Call, tool: str, deadline_s: float = DEADLINE_S, served_names: Mapping[str, str] = _UNCHANGED
) -> CallContext:
    """Return the context of a call; texts that the caller states about itself are cut to 200 characters."""
    request = context.request
    headers: Mapping[str, str] = request.headers if request is not None else {}
    client = context.session.client_params
    return CallContext(
        tool=tool,
        request_id=str(context.request_id)[:MAX_CALLER_TEXT],
        principal=principal_of(request.scope) if request is not None else None,
        # A handshake over HTTP has no session, so its later requests do not repeat the name.
        client=_named(client.client_info) if client is not None else user_agent_of(headers),
        channel=channel_of(request.scope) if request is not None else None,
        headers=headers,
        deadline_s=deadline_s,
        progress=_progress(context),
        served_names=served_names,
    )


def _named(client: wire.Implementation) -> str:
    return f"{client.name:.{MAX_CALLER_TEXT}}/{client.version:.{MAX_CALLER_TEXT}}"[:MAX_CALLER_TEXT]


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


def _template(spec: ResourceTemplateSpec) -> wire.ResourceTemplate:
    return wire.ResourceTemplate(
        uri_template=spec.uri_template,
        name=spec.name,
        title=spec.title,
        description=spec.description,
        mime_type=spec.mime_type,
    )
