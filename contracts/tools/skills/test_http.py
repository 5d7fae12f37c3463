"""The routes: the tools' own models and codes over plain HTTP."""

import json
from typing import cast

import httpx2
import pytest

from backends.ports.values import Json, JsonObject
from contracts.client import McpConnection
from contracts.promises import promise
from contracts.reply_checks import reply_check
from contracts.tools.skills.client import conversation, word
from contracts.tools.skills.replies import Created, ErrorEnvelope, SearchReply, Updated
from contracts.tools.skills.test_bad_input import BAD, GOOD

PATHS = {"search_skills": "/search", "create_skill": "/create", "update_skill": "/update"}


def envelope(reply: httpx2.Response, status: int) -> ErrorEnvelope:
    """Return the error body of a reply with this status."""
    assert reply.status_code == status, reply.text[:300]
    assert reply.headers["content-type"] == "application/json"
    return ErrorEnvelope.model_validate_json(reply.content)


async def asked(api: httpx2.AsyncClient, path: str, **body: Json) -> bytes:
    """Return the body of a reply of status 200."""
    reply = await api.post(path, json=body)
    assert reply.status_code == 200, reply.text
    return reply.content


@promise("skills:http:same", "skills:loop:learned")
async def test_the_learning_loop_works_over_http(api: httpx2.AsyncClient, connection: McpConnection) -> None:
    """Search, miss, create, hit, update: version 2 is found, and the tool sees what the routes wrote."""
    rare, later = word(), word()
    question = f"Why is the {rare} modem offline?"
    assert SearchReply.model_validate_json(await asked(api, "/search", query=question, min_score=0.9)).matches == []
    text = conversation(f"The {rare} modem is offline.", f"Plug the {rare} cable in again.")
    mine = Created.model_validate_json(await asked(api, "/create", conversation=text, resolution_confirmed=True))
    assert mine.created
    again = Created.model_validate_json(await asked(api, "/create", conversation=text))
    assert (again.created, again.skill_id) == (False, mine.skill_id)
    found = SearchReply.model_validate_json(await asked(api, "/search", query=question))
    assert found.matches[0].skill_id == mine.skill_id
    more = conversation(f"The {rare} modem is offline.", f"Ask the landlord {later} for a new aerial.")
    updated = Updated.model_validate_json(
        await asked(api, "/update", skill_id=mine.skill_id, conversation=more, feedback="Works.")
    )
    assert updated.version == 2
    found = SearchReply.model_validate_json(await asked(api, "/search", query=f"landlord {later} aerial", top_k=3))
    assert found.matches[0].skill_id == mine.skill_id
    through_the_tool = await connection.ask(SearchReply, "search_skills", query=f"landlord {later} aerial", top_k=3)
    assert through_the_tool.matches == found.matches


@promise("skills:http:statuses", "skills:http:same")
@pytest.mark.parametrize(("tool", "field"), BAD, ids=str)
async def test_a_bad_request_is_refused_as_the_tool_refuses_it(
    api: httpx2.AsyncClient, connection: McpConnection, tool: str, field: str
) -> None:
    """The status is 400, with the same code and sentence."""
    for value in BAD[tool, field]:
        arguments: JsonObject = {**GOOD[tool], field: value}
        over_http = envelope(await api.post(PATHS[tool], json=arguments), 400)
        assert over_http == ErrorEnvelope.model_validate_json(
            json.dumps((await connection.call(tool, arguments)).structured)
        )


@promise("skills:http:statuses")
async def test_an_unknown_skill_and_a_conversation_without_a_lesson_have_their_statuses(
    api: httpx2.AsyncClient,
) -> None:
    """The statuses are 404 and 400."""
    body = {"skill_id": "nobody", "conversation": conversation("It is broken.", "Restart it.")}
    assert envelope(await api.post("/update", json=body), 404).error == "skill_not_found"
    hello = {"conversation": "Customer: Hello!"}
    assert envelope(await api.post("/create", json=hello), 400).error == "nothing_to_learn"


@promise("skills:http:methods")
async def test_another_method_is_not_allowed(api: httpx2.AsyncClient) -> None:
    """The header names the allowed method, and the body is the error body."""
    for path, method in (("/search", "GET"), ("/create", "PUT"), ("/update", "DELETE"), ("/health", "POST")):
        reply = await api.request(method, path)
        assert envelope(reply, 405).error == "method_not_allowed"
        assert reply.headers["allow"]


@promise("skills:http:nowhere")
async def test_a_path_below_a_route_is_not_found(api: httpx2.AsyncClient) -> None:
    """Neither a page nor a redirect answers it, whatever the method."""
    for path in ("/search/", "/create/", "/update/", "/update/0c1e", "/health/", "/health/live", "/search//"):
        for method in ("GET", "POST"):
            reply = await api.request(method, path, json={"query": "x"}, follow_redirects=False)
            told = envelope(reply, 404)
            assert told.error == "not_found"
            assert path in told.detail
    reply = await api.get("/nowhere")
    assert envelope(reply, 404).error == "not_found"


@promise("skills:http:bodies")
async def test_a_body_that_is_no_json_object_is_a_bad_request(api: httpx2.AsyncClient) -> None:
    """Forms, lists, truncated bodies and bodies beyond the limit are refused, too."""
    as_json = {"content-type": "application/json"}
    for content in (b"", b"{", b"[]", b'"text"', b"null", b"\xff\xfe", b'{"query": NaN}', b'{"query": "\\ud800"}'):
        for path in PATHS.values():
            assert envelope(await api.post(path, content=content, headers=as_json), 400).error == "invalid_request"
    kinds = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
    for kind in (*kinds, "", "application/vnd.api+json"):
        reply = await api.post("/search", content=b'{"query": "x"}', headers={"content-type": kind})
        assert envelope(reply, 400).error == "invalid_request"
    large = await api.post("/create", content=b" " * 5_000_000, headers=as_json)
    assert envelope(large, 400).error == "too_large"
    reply = await api.post(
        "/search", content=b'{"query": "x"}', headers={"content-type": "application/json; charset=utf-8"}
    )
    assert reply.status_code == 200


@promise("skills:http:health")
async def test_health_is_good_while_the_stores_answer(api: httpx2.AsyncClient) -> None:
    """The body is one word, without details."""
    for _ in range(3):
        reply = await api.get("/health")
        assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


@promise("skills:http:described")
async def test_the_description_is_openapi_and_says_what_the_routes_do(api: httpx2.AsyncClient) -> None:
    """It has every route, and replies match its schemas."""
    described = cast("dict[str, JsonObject]", (await api.get("/openapi.json")).json())
    assert str(described["openapi"]).startswith("3.1")
    assert set(described["paths"]) == {*PATHS.values(), "/health"}
    schemas = cast("dict[str, JsonObject]", described["components"]["schemas"])
    rare = word()
    text = conversation(f"The {rare} shutter is stuck.", f"Oil the {rare} rail.")
    replies = {
        "CreateReply": await api.post("/create", json={"conversation": text}),
        "SearchReply": await api.post("/search", json={"query": rare}),
        "HealthBody": await api.get("/health"),
        "ErrorBody": await api.post("/search", json={}),
    }
    for name, reply in replies.items():
        schema: JsonObject = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}
        reply_check(schema).validate(reply.json())
