"""Images, resource templates and routes of a toolset, as clients of the running server see them."""

import base64
import json
import os
import shutil
import socket
from collections.abc import Generator

import httpx2
import pytest
from mcp import Client, MCPError
from mcp_types import BlobResourceContents, ImageContent, TextResourceContents

from tests.e2e.probe import HERE, NO_OTHERS, ROOT, Home, at, http_server, legacy_opening, lines, request
from tests.support.processes import PACKAGES

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
TOKEN = "open sesame"  # noqa: S105 of a server that lives for one test
SEARCH, PLAIN = "/gallery/search", "/gallery/plain"


def gallery(folder: Home) -> Home:
    folder.configure(NO_OTHERS)
    return folder


def search_path(home: Home) -> str:
    """Return where packages are found: the installed ones, the toolset, and the one module of the tests that it needs.

    The root of the source tree would hide the installed packages.
    """
    envelope = home.folder / "shared" / "tests" / "support" / "envelope.py"
    envelope.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "tests" / "support" / "envelope.py", envelope)
    return os.pathsep.join([str(PACKAGES), str(HERE / "gallery"), str(home.folder / "shared")])


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    home = Home(tmp_path_factory.mktemp("gallery"))
    with http_server(gallery(home), PYTHONPATH=search_path(home)) as (base, _):
        yield base


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("surface", ["/mcp", "/mcp/gallery"])
async def test_images_follow_the_text_of_a_reply(url: str, mode: str, surface: str) -> None:
    async with Client(f"{url}{surface}", mode=mode) as client:
        text, png, svg = (await client.call_tool("picture", {})).content
        assert text.type == "text"
        assert isinstance(png, ImageContent)
        assert (png.mime_type, base64.b64decode(png.data)) == ("image/png", PICTURE)
        assert isinstance(svg, ImageContent)
        assert svg.mime_type == "image/svg"


async def test_images_count_in_the_size_of_a_reply_as_they_are_sent(url: str) -> None:
    async with Client(f"{url}/mcp") as client:
        assert (await client.call_tool("picture", {"bytes": 5_999_000})).is_error is False
        refused = await client.call_tool("picture", {"bytes": 6_000_001})
        assert (refused.is_error, refused.structured_content) == (True, {"too_large": 8_000_000})
        assert [each.type for each in refused.content] == ["text"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("surface", ["/mcp", "/mcp/gallery"])
async def test_templates_are_listed_and_their_resources_are_read(url: str, mode: str, surface: str) -> None:
    async with Client(f"{url}{surface}", mode=mode) as client:
        listed = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in listed] == ["gallery://pictures/{name}", "gallery://{name}/title"]
        assert (listed[0].name, listed[0].title, listed[0].mime_type) == ("pictures", "Pictures", "image/png")
        [picture] = (await client.read_resource("gallery://pictures/a")).contents
        assert isinstance(picture, BlobResourceContents)
        assert (picture.uri, picture.mime_type) == ("gallery://pictures/a", "image/png")
        assert base64.b64decode(picture.blob) == PICTURE
        [title] = (await client.read_resource("gallery://a%2Fb%20%C3%A4/title")).contents
        assert isinstance(title, TextResourceContents)
        assert title.text == "gallery://a%2Fb%20%C3%A4/title is a/b ä"
        [front] = (await client.read_resource("gallery://front/title")).contents
        assert isinstance(front, TextResourceContents)
        assert front.text == "the front"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_resources_that_do_not_exist_are_answered_as_such(url: str, mode: str) -> None:
    async with Client(f"{url}/mcp", mode=mode) as client:
        for uri in ("gallery://pictures/", "gallery://pictures/a/b", "gallery://pictures/%ff", "other://pictures/a"):
            with pytest.raises(MCPError, match="Unknown resource") as unknown:
                await client.read_resource(uri)
            assert (unknown.value.error.code, unknown.value.error.data) == (-32602, {"uri": uri})
        with pytest.raises(MCPError, match="There is no picture none") as missing:
            await client.read_resource("gallery://pictures/none")
        assert (missing.value.error.code, missing.value.error.data) == (-32602, {"uri": "gallery://pictures/none"})
        with pytest.raises(MCPError, match="at most 2000 characters"):
            await client.read_resource("gallery://pictures/" + "a" * 2_000)
        with pytest.raises(MCPError, match="too large"):
            await client.read_resource("gallery://pictures/huge")
        with pytest.raises(MCPError, match=r"^Reading failed$"):
            await client.read_resource("gallery://broken/title")


def test_stdio_carries_images_and_templates_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = gallery(Home(tmp_path_factory.mktemp("stdio")))
    asked = [
        request(1, "tools/call", {"name": "picture", "arguments": {}}),
        request(2, "resources/templates/list", {}),
        request(3, "resources/read", {"uri": "gallery://pictures/a"}),
        request(4, "resources/read", {"uri": "gallery://pictures/none"}),
    ]
    ended = home.run("serve", stdin=lines([*legacy_opening(), *asked]), PYTHONPATH=search_path(home))
    answers = {at(line, "id"): line for line in map(json.loads, ended.stdout.splitlines())}
    assert at(answers[1], "result", "content", 1, "mimeType") == "image/png", ended.stderr
    assert at(answers[2], "result", "resourceTemplates", 0, "uriTemplate") == "gallery://pictures/{name}"
    assert at(answers[3], "result", "contents", 0, "blob") == base64.b64encode(PICTURE).decode()
    assert at(answers[4], "error", "code") == -32602


def test_the_command_line_names_images_by_type_and_size(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = gallery(Home(tmp_path_factory.mktemp("call")))
    home.data.mkdir()
    called = home.run("call", "picture", PYTHONPATH=search_path(home))
    assert called.stdout.splitlines()[-2:] == ["[image/png, 264 bytes]", "[image/svg, 6 bytes]"], called.stderr
    assert json.loads(home.run("call", "picture", "--json", PYTHONPATH=search_path(home)).stdout) == {
        "success": True,
        "size": 264,
    }


def test_a_route_answers_its_methods_and_refuses_others_in_its_own_form(url: str) -> None:
    asked = httpx2.post(f"{url}{SEARCH}?a=b")
    assert asked.json() == {"method": "POST", "path": SEARCH, "query": {"a": "b"}}
    assert httpx2.put(f"{url}{SEARCH}").json()["method"] == "PUT"
    for method in ("GET", "DELETE", "PATCH", "OPTIONS"):
        refused = httpx2.request(method, f"{url}{SEARCH}")
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST, PUT")
        assert refused.json() == {"error": "refused", "detail": f"The methods of {SEARCH} are: POST, PUT."}
    plain = httpx2.get(f"{url}{PLAIN}")
    assert (plain.status_code, plain.headers["allow"], plain.json()["error"]) == (405, "POST", "method_not_allowed")


def test_a_toolset_may_claim_health_and_head_is_answered_as_get_without_its_body(url: str) -> None:
    assert httpx2.get(f"{url}/health").json() == {"method": "GET", "path": "/health", "query": {}}
    head = httpx2.head(f"{url}/health")
    assert (head.status_code, head.headers["content-type"], head.content) == (200, "application/json", b"")
    refused = httpx2.post(f"{url}/health")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
    assert httpx2.get(f"{url}/livez").json() == {"status": "ok"}
    assert httpx2.get(f"{url}/readyz").json()["toolsets"]["gallery"]["ok"] is True


@pytest.mark.parametrize(
    ("body", "status", "own", "plain"),
    [
        (b"slow", 500, {"error": "timeout", "detail": "0.2"}, None),
        (b"down", 500, {"error": "failed", "detail": "Unavailable"}, (503, "service_unavailable")),
        (b"huge", 500, {"error": "too_large", "detail": "8000000"}, (500, "reply_too_large")),
        (b"surrogate", 200, "?", (200, "?")),
    ],
    ids=["slow", "down", "huge", "surrogate"],
)
def test_errors_have_the_envelope_of_the_route(
    url: str, body: bytes, status: int, own: object, plain: tuple[int, str] | None
) -> None:
    answered = httpx2.post(f"{url}{SEARCH}", content=body)
    assert (answered.status_code, answered.json()) == (status, own)
    if plain is not None:
        without = httpx2.post(f"{url}{PLAIN}", content=body)
        told = without.json()
        assert (without.status_code, told["error"] if isinstance(told, dict) else told) == plain


@pytest.mark.parametrize(
    ("headers", "body", "status", "code", "detail"),
    [
        ({"Host": "evil.example"}, b"", 421, "host_not_allowed", "The Host of the request"),
        ({"Origin": "http://evil.example"}, b"", 403, "origin_not_allowed", "Pages of this origin"),
        ({}, b" " * 4_194_305, 413, "body_too_large", "The body has more than 4194304 bytes."),
    ],
)
def test_refusals_of_the_guard_have_the_envelope_of_the_path(
    url: str, headers: dict[str, str], body: bytes, status: int, code: str, detail: str
) -> None:
    refused = httpx2.post(f"{url}{SEARCH}", content=body, headers=headers)
    assert refused.status_code == (400 if status == 413 else status)
    assert refused.json()["error"] == "refused"
    assert refused.json()["detail"].startswith(detail)
    plain = httpx2.post(f"{url}{PLAIN}", content=body, headers=headers)
    assert (plain.status_code, plain.json()) == (status, {"error": code, "detail": refused.json()["detail"]})


def raw(url: str, *head: str) -> tuple[int, dict[str, str]]:
    """Send a head as it stands and return the answer's status and JSON."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as wire:
        wire.sendall("\r\n".join([*head, "Content-Length: 0", "Connection: close", "", ""]).encode())
        answer = wire.makefile("rb").read()
    top, _, body = answer.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(body) if body else {}


def test_refused_headers_have_the_envelope_of_the_path(url: str) -> None:
    many = [f"X-{number}: y" for number in range(101)]
    status, body = raw(url, f"POST {SEARCH}?a=b HTTP/1.1", "Host: localhost", *many)
    assert (status, body["error"]) == (431, "refused")
    status, body = raw(url, f"POST {PLAIN} HTTP/1.1", "Host: localhost", *many)
    assert (status, body["error"]) == (431, "headers_too_large")
    twice = raw(url, f"POST {SEARCH} HTTP/1.1", "Host: localhost", "Host: localhost")
    assert twice == (400, {"error": "refused", "detail": "The header Host was sent more than once."})


def test_a_missing_token_is_refused_in_the_routes_form(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = gallery(Home(tmp_path_factory.mktemp("token")))
    with http_server(home, PYTHONPATH=search_path(home), ENTREPOT_SERVER__TOKEN=TOKEN) as (url, _):
        for path in (SEARCH, "/health"):
            refused = httpx2.post(f"{url}{path}")
            assert (refused.status_code, refused.json()["error"]) == (401, "refused")
            assert refused.headers["www-authenticate"] == 'Bearer realm="entrepot"'
        assert httpx2.post(f"{url}{SEARCH}", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
