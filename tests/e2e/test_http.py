"""The HTTP transport: access, responses and shutdown."""

import json
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx2
import pytest
from mcp import Client, MCPError

from tests.e2e.probe import MODERN, STEPS, Home, Steps, call, http_server, modern_call

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
TOKEN = "open sesame"  # noqa: S105 of a server that lives for one test
MODERN_HEADERS = {
    **HEADERS,
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
}


def post(url: str, message: dict[str, object], **headers: str) -> httpx2.Response:
    return httpx2.post(url, content=json.dumps(message), headers={**HEADERS, **headers})


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/demo"])
async def test_both_protocol_versions_share_an_endpoint(base: str, mode: str, path: str) -> None:
    steps = Steps()
    async with Client(f"{base}{path}", mode=mode) as client:
        assert "echo" in [tool.name for tool in (await client.list_tools()).tools]
        assert (await client.call_tool("echo", {"text": "a"})).structured_content["arguments"] == {"text": "a"}
        await client.call_tool("count", {}, progress_callback=steps.note)
        assert steps.seen == STEPS
        with pytest.raises(MCPError, match=r"Unknown tool: nope$"):
            await client.call_tool("nope", {})
        with pytest.raises(MCPError, match="Unknown tool: ehco; did you mean echo"):
            await client.call_tool("ehco", {})
        late = await client.call_tool("sleep", {})
        assert (late.is_error, late.structured_content["error"]) == (True, "timeout")
        assert client.server_capabilities.tools
        assert client.server_capabilities.tools.list_changed


def test_a_reply_is_one_json_body_unless_the_request_asks_for_progress(base: str) -> None:
    plain = post(f"{base}/mcp", call(1, "count"))
    assert plain.headers["content-type"] == "application/json"
    asking = call(1, "count")
    asking["params"] = {"name": "count", "arguments": {}, "_meta": {"progressToken": 9}}
    assert post(f"{base}/mcp", asking).headers["content-type"].startswith("text/event-stream")
    assert post(f"{base}/mcp", asking, Accept="application/json").headers["content-type"] == "application/json"
    modern = modern_call(1, "count")
    modern["params"] = {"name": "count", "arguments": {}, "_meta": {**MODERN, "progressToken": 9}}
    streamed = post(f"{base}/mcp", modern, **{**MODERN_HEADERS, "Mcp-Name": "count"})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert "step 2" in streamed.text


@pytest.mark.parametrize("path", ["/mcp/", "/mcp/demo/"])
def test_a_slash_at_the_end_of_an_endpoint_makes_no_difference(base: str, path: str) -> None:
    assert post(f"{base}{path}", call(1, "echo")).json()["result"]["isError"] is False


@pytest.mark.parametrize("path", ["/readyz/", "/demo/", "/mcp//"])
def test_a_slash_too_many_elsewhere_is_not_found(base: str, path: str) -> None:
    assert post(f"{base}{path}", call(1, "echo")).status_code == 404


def test_the_context_says_who_calls_and_through_which_channel(base: str) -> None:
    reply = post(f"{base}/mcp", call("r-1", "echo"), **{"X-Channel-Id": "ops", "User-Agent": "probe"})
    caller = reply.json()["result"]["structuredContent"]["caller"]
    assert caller == {
        "tool": "echo",
        "request_id": "r-1",
        "principal": None,
        "client": "probe",
        "channel": "ops",
        "agent": "probe",
    }


@pytest.mark.parametrize(("sent", "channel"), [("кан ☃".encode(), "кан ☃"), (b"caf\xe9", "café"), (b"ops", "ops")])
def test_a_channel_is_sent_in_utf_8(base: str, sent: bytes, channel: str) -> None:
    """What is no UTF-8 is taken for Latin-1, as the protocol once had it."""
    headers = [*((name.encode(), value.encode()) for name, value in HEADERS.items()), (b"X-Channel-Id", sent)]
    reply = httpx2.post(f"{base}/mcp", content=json.dumps(call("r-1", "echo")), headers=headers)
    assert reply.json()["result"]["structuredContent"]["caller"]["channel"] == channel


def test_blanks_around_header_values_are_not_content(base: str) -> None:
    body = json.dumps(modern_call(1, "echo")).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in MODERN_HEADERS.items())
    host, port = base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as wire:
        start = f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\n{head}Mcp-Name:  echo \r\nConnection: close\r\n"
        wire.sendall(f"{start}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        assert wire.makefile("rb").readline().startswith(b"HTTP/1.1 200")


def test_a_toolset_answers_its_own_route_and_its_errors_keep_their_text(base: str) -> None:
    reply = httpx2.post(f"{base}/demo", content=b"abc")
    assert (reply.status_code, reply.json()) == (201, {"length": 3, "principal": None})
    broken = httpx2.post(f"{base}/demo?fail=1")
    assert (broken.status_code, broken.json()["error"]) == (500, "internal_error")
    assert "secret" not in broken.text
    assert httpx2.get(f"{base}/demo").status_code == 405


def test_health_distinguishes_the_process_from_the_toolsets(base: str) -> None:
    assert httpx2.get(f"{base}/livez").json() == {"status": "ok"}
    assert httpx2.get(f"{base}/health").json()["toolsets"] == ["demo"]
    assert httpx2.get(f"{base}/readyz").json()["toolsets"]["demo"] == {"ok": True, "lag": 0, "problems": []}


def test_models_are_loaded_before_the_first_call(base: str) -> None:
    reply = post(f"{base}/mcp", call(1, "shelf")).json()["result"]["structuredContent"]
    assert reply["embedded"] == 1


def test_only_the_toolset_whose_engine_is_down_degrades_and_it_recovers(home: Home) -> None:
    home.shelf.unlink()
    with http_server(home) as (url, _):
        down = post(f"{url}/mcp", call(1, "shelf")).json()["result"]
        assert (down["isError"], down["structuredContent"]["error"]) == (True, "unavailable")
        assert post(f"{url}/mcp", call(2, "echo")).json()["result"]["isError"] is False
        assert httpx2.get(f"{url}/readyz").status_code == 503
        home.shelf.touch()
        deadline = time.monotonic() + 10
        while httpx2.get(f"{url}/readyz").status_code == 503 and time.monotonic() < deadline:
            pass
        assert post(f"{url}/mcp", call(3, "shelf")).json()["result"]["isError"] is False


def test_with_a_token_everything_but_livez_needs_it(home: Home) -> None:
    with http_server(home, ENTREPOT_SERVER__TOKEN=TOKEN) as (url, process):
        for path in ("/mcp", "/health", "/readyz", "/demo"):
            refused = httpx2.post(f"{url}{path}", headers={"Authorization": "Bearer wrong"})
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="entrepot"')
        assert httpx2.get(f"{url}/livez").status_code == 200
        mine = {"Authorization": f"Bearer {TOKEN}"}
        assert httpx2.post(f"{url}/demo", headers=mine).json() == {"length": 0, "principal": "token"}
        for wrong in ([], ["--token", "wrong"]):
            unknown = home.run("call", "--url", url, *wrong, "echo")
            assert (unknown.returncode, "The server requires a token" in unknown.stderr) == (1, True)
        called = home.run("call", "--url", url, "--token", TOKEN, "echo", "--json")
        assert json.loads(called.stdout)["caller"]["principal"] == "token"
        assert TOKEN not in home.said()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=5) == 0


@pytest.mark.parametrize(("hosts", "hint"), [("[]", True), ('["box.lan"]', False)])
def test_a_server_on_all_addresses_says_that_it_must_know_its_names(home: Home, *, hosts: str, hint: bool) -> None:
    settings = {"ENTREPOT_SERVER__TOKEN": TOKEN, "ENTREPOT_SERVER__ALLOWED_HOSTS": hosts}
    with http_server(home, "--host", "0.0.0.0", **settings):  # noqa: S104 with a token, for one test
        assert ("until server.allowed_hosts has the name" in home.said()) is hint
        pasted = json.loads(home.said().splitlines()[-1])["mcpServers"]["entrepot"]["url"]
        assert pasted.startswith("http://127.0.0.1:" if hint else "http://box.lan:"), "nobody reaches 0.0.0.0"


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_closes_an_idle_server_and_its_listen_streams_with_code_0(home: Home, stop: signal.Signals) -> None:
    listen: dict[str, object] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": True}, "_meta": MODERN},
    }
    headers = {**MODERN_HEADERS, "Mcp-Method": "subscriptions/listen"}
    with http_server(home) as (url, process):
        with httpx2.stream("POST", f"{url}/mcp", content=json.dumps(listen), headers=headers) as stream:
            chunks = stream.iter_text()
            assert "acknowledged" in next(chunks)
            asked = time.monotonic()
            process.send_signal(stop)
            assert '"id":1' in "".join(chunks)
        assert process.wait(timeout=20) == 0
        assert time.monotonic() - asked < 4


def half_sent(base: str) -> socket.socket:
    """Return a connection whose request has reached the server without all of its body."""
    host, port = base.removeprefix("http://").split(":")
    wire = socket.create_connection((host, int(port)), timeout=10)
    head = "".join(f"{name}: {value}\r\n" for name, value in {**HEADERS, "Expect": "100-continue"}.items())
    wire.sendall(f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\n{head}Content-Length: 100\r\n\r\n".encode())
    assert wire.recv(64).startswith(b"HTTP/1.1 100")
    wire.sendall(b"{")
    return wire


def refuses_connections(base: str) -> bool:
    host, port = base.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port))).close()
    except ConnectionError:
        return True
    return False


def test_a_connection_is_kept_longer_than_common_clients_reuse_one(base: str) -> None:
    """httpx keeps one for 5 s by default; a server that closed it then would make the next request fail."""
    with httpx2.Client(limits=httpx2.Limits(keepalive_expiry=60)) as client:
        first = client.get(f"{base}/livez")
        wire = first.extensions["network_stream"].get_extra_info("socket")
        time.sleep(5.5)
        again = client.get(f"{base}/livez")
        assert (first.status_code, again.status_code) == (200, 200)
        assert again.extensions["network_stream"].get_extra_info("socket") is wire


@pytest.mark.parametrize("hurry", [False, True])
def test_requests_that_never_end_delay_shutdown_by_less_than_five_seconds(home: Home, *, hurry: bool) -> None:
    endless = {**call(1, "rest"), "params": {"name": "rest", "arguments": {}, "_meta": {"progressToken": 9}}}
    with http_server(home) as (url, process), ThreadPoolExecutor() as pool, ExitStack() as stack:
        wires = [stack.enter_context(half_sent(url)) for _ in range(3)]
        calls = [pool.submit(post, f"{url}/mcp", message) for message in (call(1, "rest"), endless)]
        asked = time.monotonic()
        process.send_signal(signal.SIGTERM)
        if hurry:
            while not refuses_connections(url):
                assert time.monotonic() - asked < 9
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
        assert time.monotonic() - asked < (4 if hurry else 9)
        assert [wire.recv(4096).split(b"\r\n")[0] for wire in wires] == [b"HTTP/1.1 503 Service Unavailable"] * 3
        assert all(each.exception() is not None or each.result().status_code == 503 for each in calls)
        assert "Traceback" not in home.said()
