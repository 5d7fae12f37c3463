"""The yardstick: a bare low-level SDK server that answers a constant, over stdio or HTTP.

python -m tests.bench.bare stdio
python -m tests.bench.bare http PORT
"""

import sys

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
ANSWER = types.CallToolResult(
    content=[types.TextContent(type="text", text='{"success":true,"message":"constant"}')],
    structured_content={"success": True, "message": "constant"},
)

Context = ServerRequestContext[dict[str, object]]


async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """List the one tool."""
    return types.ListToolsResult(tools=[types.Tool(name="echo", description="A constant.", input_schema=SCHEMA)])


async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Answer the constant."""
    return ANSWER


def server() -> Server[dict[str, object]]:
    """Return the server."""
    return Server(
        "bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=lambda _: SCHEMA
    )


async def serve_stdio() -> None:
    """Serve on the SDK's own stdio transport."""
    bare = server()
    async with stdio_server() as (reader, writer):
        await bare.run(reader, writer, bare.create_initialization_options())


def serve_http(port: int) -> None:
    """Serve JSON replies, stateless, on loopback."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Route

    manager = StreamableHTTPSessionManager(server(), json_response=True, stateless=True)
    app = Starlette(routes=[Route("/mcp", endpoint=StreamableHTTPASGIApp(manager))], lifespan=lambda _: manager.run())
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        anyio.run(serve_stdio)
    else:
        serve_http(int(sys.argv[2]))
