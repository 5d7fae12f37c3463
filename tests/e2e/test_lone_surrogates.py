"""A lone surrogate in an argument reaches the tool, which refuses it in its own words, by either protocol era."""

import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from backends.ports.values import JsonObject
from tests.support.knowledge import part
from tests.support.raw import VERSION, request
from tests.support.servers import ours_http


def post(port: int, body: bytes, headers: dict[str, str]) -> JsonObject:
    given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    with urlopen(Request(f"http://127.0.0.1:{port}/mcp", body, given), timeout=10) as reply:
        return json.loads(reply.read())["result"]


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_a_lone_surrogate_over_http_is_refused_by_the_tool(tmp_path: Path, era: str) -> None:
    body = request(1, "create_concept", {"name": "PLACE", "explanation": "text"}).replace(b"PLACE", rb"lone \ud800 one")
    headers = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/call", "Mcp-Name": "create_concept"}
    async with ours_http(tmp_path) as server:
        result = post(server.port, body, headers if era == "modern" else {"MCP-Protocol-Version": "2025-11-25"})
    assert result["isError"] is True
    refused = part(result, "structuredContent")
    assert refused["error"] == "invalid_input"
    assert "surrogate" in str(refused["message"])
