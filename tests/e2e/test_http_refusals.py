"""Requests that the HTTP transport refuses, and the sentences that say why."""

import json
import socket
import urllib.error
import urllib.request

import httpx2
import pytest

from gateway.transports.requests import BATCH, NO_JSON, WRONG_ID, no_message
from tests.e2e.probe import WRONG_PARAMS, call, modern_call
from tests.e2e.test_http import HEADERS, post

SENTENCES = {each.error.message for each in (NO_JSON, BATCH, WRONG_ID, no_message({}))}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/demo", "/health", "/livez", "/readyz", "/demo"])
def test_every_route_refuses_foreign_hosts_and_origins(base: str, path: str) -> None:
    assert httpx2.get(f"{base}{path}", headers={"Host": "evil.example"}).status_code == 421
    assert httpx2.get(f"{base}{path}", headers={"Host": "localhost.evil.example:80"}).status_code == 421
    assert httpx2.get(f"{base}{path}", headers={"Origin": "http://evil.example"}).status_code == 403
    assert httpx2.get(f"{base}{path}", headers={"Origin": "null"}).status_code == 403
    assert httpx2.get(f"{base}{path}", headers={"Origin": "http://localhost:3000"}).status_code in (200, 405)


def status_of(base: str, *head: str, target: str = "/mcp") -> int:
    """Return the status of a call that is sent with exactly these headers and its own length and type."""
    body = json.dumps(call(1, "echo")).encode()
    host, port = base.removeprefix("http://").split(":")
    lines = [f"POST {target} HTTP/1.1", *head, *(f"{name}: {value}" for name, value in HEADERS.items())]
    with socket.create_connection((host, int(port)), timeout=10) as wire:
        wire.sendall("\r\n".join([*lines, f"Content-Length: {len(body)}", "Connection: close", "", ""]).encode() + body)
        return int(wire.makefile("rb").readline().split()[1])


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (["Host: LOCALHOST"], 200),
        (["Host: localhost", "Origin: http://localhost:3000"], 200),
        (["Host: localhost:99999"], 421),
        (["Host: localhost", "Origin:"], 403),
        (["Host: localhost:evil.com"], 421),
        (["Host: 127.0.0.1:1@evil.com"], 421),
        (["Host: localhost", "Origin: http://localhost:3000.evil.com"], 403),
        (["Host: localhost", "Host: evil.com"], 400),
        (["Host: localhost", "Origin: http://localhost", "Origin: http://evil.com"], 400),
        (["Host: localhost", "Authorization: Bearer a", "Authorization: Bearer b"], 400),
        (["Host: localhost", "Content-Type: text/plain"], 400),
        (["Host: localhost", *(f"X-{number}: y" for number in range(100))], 431),
    ],
)
def test_names_that_only_resemble_ours_and_repeated_headers_are_refused(
    base: str, head: list[str], status: int
) -> None:
    assert status_of(base, *head) == status


def test_a_target_that_names_another_host_is_refused(base: str) -> None:
    assert status_of(base, "Host: localhost", target="http://evil.example/mcp") == 400


REFUSED: list[tuple[str, str, dict[str, str], bytes, int, str]] = [
    ("GET", "/mcp", {}, b"", 405, "method_not_allowed"),
    ("GET", "/mcp/", {}, b"", 405, "method_not_allowed"),
    ("DELETE", "/mcp/demo", {}, b"", 405, "method_not_allowed"),
    ("POST", "/livez", {}, b"", 405, "method_not_allowed"),
    ("POST", "/readyz", {}, b"", 405, "method_not_allowed"),
    ("GET", "/nowhere", {}, b"", 404, "not_found"),
    ("POST", "/mcp//", {}, b"", 404, "not_found"),
    ("POST", "/mcp", {"Host": "evil.example"}, b"", 421, "host_not_allowed"),
    ("POST", "/mcp", {"Origin": "http://evil.example"}, b"", 403, "origin_not_allowed"),
    ("POST", "/mcp", {"Content-Type": "text/plain"}, b"{}", 415, "unsupported_media_type"),
    ("POST", "/mcp", {f"X-{number}": "y" for number in range(101)}, b"", 431, "headers_too_large"),
    ("POST", "/mcp", {}, b" " * (4 * 1024 * 1024 + 1), 413, "body_too_large"),
]


@pytest.mark.parametrize(("method", "path", "headers", "body", "status", "code"), REFUSED)
def test_a_refusal_has_a_code_and_a_sentence(
    base: str, method: str, path: str, headers: dict[str, str], body: bytes, status: int, code: str
) -> None:
    reply = httpx2.request(method, f"{base}{path}", content=body, headers={**HEADERS, **headers})
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/json")
    assert list(reply.json()) == ["error", "detail"]
    assert reply.json()["error"] == code


@pytest.mark.parametrize(
    ("sent", "code", "id_"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b"\xff", -32700, None),
        (b"[" * 5_000, -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": ' + b"1" * 5_000 + b"}}", -32700, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]', -32600, None),
        (b'"tools/list"', -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc": "2.0", "id": 5}', -32600, 5),
        (b'{"jsonrpc": "1.0", "id": 6, "method": "tools/list"}', -32600, 6),
        (b'{"jsonrpc": "2.0", "id": 7, "method": 8}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": []}', -32600, "a"),
        (b'{"jsonrpc": "2.0", "id": null, "result": {}}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', -32600, None),
        (b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "ping"}', -32700, None),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'.encode("utf-16"), -32700, None),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(base: str, sent: bytes, code: int, id_: object) -> None:
    reply = httpx2.post(f"{base}/mcp", content=sent, headers=HEADERS)
    assert (reply.status_code, reply.json()["id"], reply.json()["error"]["code"]) == (400, id_, code)
    message = reply.json()["error"]["message"]
    assert message in SENTENCES, "the protocol's library says it in its own words"


@pytest.mark.parametrize("kind", ["Application/JSON", "application/JSON; Charset=UTF-8", "application/json ;x=y"])
@pytest.mark.parametrize("accept", ["application/json", "Application/JSON, Text/Event-Stream"])
def test_media_types_are_read_in_any_case(base: str, kind: str, accept: str) -> None:
    streamed = {**call(1, "count"), "params": {"name": "count", "arguments": {}, "_meta": {"progressToken": 9}}}
    reply = post(f"{base}/mcp", streamed, **{"Content-Type": kind, "Accept": accept})
    expected = "text/event-stream" if "," in accept else "application/json"
    assert (reply.status_code, reply.headers["content-type"]) == (200, expected), reply.text


@pytest.mark.parametrize("sent", ["1999-01-01", "2025-6-18", "", "x" * 500])
@pytest.mark.parametrize("message", [call(7, "echo"), {"jsonrpc": "2.0", "method": "notifications/initialized"}])
def test_a_version_of_the_protocol_that_is_not_served_is_refused_with_those_that_are(
    base: str, sent: str, message: dict[str, object]
) -> None:
    reply = post(f"{base}/mcp", message, **{"MCP-Protocol-Version": sent})
    error = reply.json()["error"]
    assert (reply.status_code, reply.json()["id"], error["code"]) == (400, message.get("id"), -32022)
    served = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    assert error["data"] == {"supported": served, "requested": sent[:50]}
    assert error["message"] == (
        f"The version {sent[:50]!r} of the header MCP-Protocol-Version is not supported; use one of {', '.join(served)}"
    )


def test_two_versions_of_the_protocol_are_refused(base: str) -> None:
    headers = [*HEADERS.items(), ("MCP-Protocol-Version", "2025-06-18"), ("MCP-Protocol-Version", "2025-11-25")]
    reply = httpx2.post(f"{base}/mcp", json=call(7, "echo"), headers=headers)
    assert (reply.status_code, reply.json()["id"], reply.json()["error"]["code"]) == (400, 7, -32020)
    assert reply.json()["error"]["message"] == "The header MCP-Protocol-Version was sent more than once"


@pytest.mark.parametrize(
    ("version", "accept", "method", "lacking"),
    [
        ("2026-07-28", "text/event-stream", "tools/list", "application/json"),
        ("2026-07-28", "text/html", "tools/call", "application/json"),
        ("2026-07-28", "application/json", "subscriptions/listen", "text/event-stream for subscriptions/listen"),
        ("2025-11-25", "text/html", "tools/call", "application/json"),
    ],
)
def test_a_client_that_does_not_accept_the_form_of_the_reply_is_refused(
    base: str, version: str, accept: str, method: str, lacking: str
) -> None:
    headers = {**HEADERS, "Accept": accept, "MCP-Protocol-Version": version, "Mcp-Method": method}
    message = {**modern_call(1, "echo"), "method": method}
    reply = httpx2.post(f"{base}/mcp", json=message, headers=headers)
    assert (reply.status_code, reply.headers["Content-Type"]) == (406, "application/json")
    error = {"code": -32600, "message": f"The header Accept must have {lacking}"}
    assert reply.json() == {"jsonrpc": "2.0", "id": 1, "error": error}


@pytest.mark.parametrize(("sent", "sentence"), WRONG_PARAMS)
def test_what_is_wrong_with_parameters_is_named(base: str, sent: dict[str, object], sentence: str) -> None:
    reply = post(f"{base}/mcp", {"jsonrpc": "2.0", "id": 1, **sent}).json()
    assert (reply["id"], reply["error"]) == (1, {"code": -32602, "message": sentence})


@pytest.mark.parametrize("sent", ["null", "1.5", "1.0", "true", "{}", "[1]", "NaN", "Infinity", "-Infinity", "1e999"])
def test_a_request_whose_id_is_neither_text_nor_whole_number_is_answered_with_an_error(base: str, sent: str) -> None:
    body = json.dumps(call(1, "echo")).replace('"id": 1', f'"id": {sent}')
    reply = httpx2.post(f"{base}/mcp", content=body, headers=HEADERS)
    assert (reply.status_code, reply.json()["id"], reply.json()["error"]["code"]) == (400, None, -32600)


def test_ids_of_any_size_are_answered(base: str) -> None:
    body = json.dumps(call(1, "echo")).replace('"id": 1', '"id": 99999999999999999999')
    assert httpx2.post(f"{base}/mcp", content=body, headers=HEADERS).json()["id"] == 99999999999999999999


@pytest.mark.parametrize("path", ["/mcp", "/demo", "/health"])
def test_every_route_refuses_bodies_beyond_the_limit(base: str, path: str) -> None:
    assert httpx2.post(f"{base}{path}", content=b" " * (4 * 1024 * 1024 + 1), headers=HEADERS).status_code == 413


@pytest.mark.parametrize("path", ["/mcp", "/demo"])
def test_a_client_that_sends_all_before_it_reads_gets_the_refusal(base: str, path: str) -> None:
    request = urllib.request.Request(f"{base}{path}", b" " * (8 * 1024 * 1024), HEADERS)  # noqa: S310 an address of ours
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=20)  # noqa: S310
    assert (refused.value.code, json.load(refused.value)["error"]) == (413, "body_too_large")


def test_a_million_wrong_items_are_refused_by_the_tool_and_elsewhere_by_the_transport(base: str) -> None:
    many = [1] * 1_000_000
    reply = post(f"{base}/mcp", call(1, "echo", {"text": many})).json()
    assert reply["id"] == 1
    assert reply["result"]["isError"] is True
    assert "text should have at most 20000 values" in reply["result"]["content"][0]["text"]
    beside = post(f"{base}/mcp", {**call(1, "echo"), "more": many})
    assert (beside.status_code, beside.json()["error"]["code"]) == (400, -32600)
