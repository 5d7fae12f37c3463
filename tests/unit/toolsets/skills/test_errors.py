"""Parts that fail are named, over both doors with one code, and nothing is written that is not told."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from backends.ports.errors import Timeout, Unavailable, Unusable
from backends.ports.values import JsonObject
from backends.stores import OpenStores
from tests.support.damage import table_gone
from tests.support.toolsets.skills import TABLES, Instance, chat, joined
from toolsets.skills.errors import ENVELOPE, ROUTE_ENVELOPE, failure, http_reply
from toolsets.spec import ToolError

TALK = chat("The bell is mute.", "Turn the wheel.")


async def test_a_store_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    house = OpenStores({**TABLES, "db": {"kind": "sqlite", "directory": str(tmp_path / "file")}}, tmp_path)
    async with joined(house.stores(graph="db", vectors="db", events="db", embedder="model")) as instance:
        for tool, arguments, part in (
            ("search_skills", {"query": "bell"}, "vector store"),
            ("create_skill", {"conversation": TALK}, "event log"),
            ("update_skill", {"skill_id": "0" * 8 + "-0000-4000-8000-" + "0" * 12, "conversation": TALK}, "event log"),
        ):
            await _fails(instance, tool, arguments, part)
        reply = await instance.request("GET", "/health")
        assert reply.status == 500
        assert isinstance(reply.body, Mapping)
        assert reply.body["error"] == "store_unavailable"
        assert all(part in str(reply.body["detail"]) for part in ("event log", "graph", "vector store"))
        assert str(tmp_path) not in str(reply.body)
    await house.close()


async def _fails(instance: Instance, tool: str, arguments: JsonObject, part: str) -> None:
    reply = await instance.reply(tool, **arguments)
    assert reply.structured["error"] in ("store_unavailable", "store_failed"), reply
    assert str(reply.structured["detail"]).startswith(f"The {part} ")
    assert http_reply(reply).status == 500


async def test_without_a_model_nothing_is_recorded_and_the_model_is_named(tmp_path: Path) -> None:
    house = OpenStores({"db": {"kind": "sqlite"}}, tmp_path)
    async with joined(house.stores(graph="db", vectors="db", events="db")) as instance:
        await _fails(instance, "create_skill", {"conversation": TALK}, "embedder")
        assert await (await instance.stores.events()).head() == 0
    await house.close()


async def test_a_search_goes_on_while_the_graph_is_damaged(skills: Instance, tmp_path: Path) -> None:
    mine = await skills.learn("The bell is mute.", "Turn the wheel.")
    with table_gone(tmp_path / "graph.db", "nodes"):
        found = await skills.ask("search_skills", query="silent bell")
        assert str(mine["skill_id"]) in str(found)
    with table_gone(tmp_path / "vectors.db", "records"):
        await _fails(skills, "search_skills", {"query": "silent bell"}, "vector store")
        await _fails(
            skills, "create_skill", {"conversation": chat("The lamp flickers.", "Tighten the screw.")}, "vector store"
        )
        reply = await skills.request("POST", "/search", b'{"query": "silent bell"}')
        assert reply.status == 500


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (Unavailable("host 10.0.0.1"), "store_unavailable", "does not answer"),
        (Timeout("host 10.0.0.1"), "store_unavailable", "took too long"),
        (Unusable("/secret/file"), "store_failed", "failed (unusable)"),
    ],
)
def test_a_failure_says_what_kind_it_is_and_keeps_hosts_and_files_to_the_log(
    error: Exception, code: str, words: str
) -> None:
    told = failure("graph", error)
    assert (told.code, words in told.message) == (code, True)
    assert "10.0.0.1" not in told.message
    assert "/secret" not in told.message


def test_what_the_gateway_refuses_has_the_documented_statuses() -> None:
    for status, documented, code in (
        (401, 401, "unauthorized"),
        (403, 403, "forbidden"),
        (405, 405, "method_not_allowed"),
        (408, 400, "invalid_request"),
        (413, 400, "too_large"),
        (415, 400, "invalid_request"),
        (431, 400, "invalid_request"),
        (500, 500, "internal_error"),
        (503, 500, "internal_error"),
    ):
        reply = ROUTE_ENVELOPE.refused(status, "no")
        assert (reply.status, reply.body) == (documented, {"error": code, "detail": "no"})


def test_every_failure_around_a_call_has_a_code_and_a_sentence() -> None:
    for reply, code, status in (
        (ENVELOPE.timed_out(120), "timeout", 500),
        (ENVELOPE.too_large(8_000_000), "too_large", 400),
        (ENVELOPE.failed(ValueError("secret")), "internal_error", 500),
        (ENVELOPE.failed(Unavailable("host")), "store_unavailable", 500),
        (ENVELOPE.tool_error(ToolError("skill_not_found", "There is none")), "skill_not_found", 404),
    ):
        assert reply.structured["error"] == code
        assert http_reply(reply).status == status
        assert "secret" not in str(reply.structured)
    assert ROUTE_ENVELOPE.timed_out(1).status == ROUTE_ENVELOPE.failed(ValueError()).status == 500
    assert ROUTE_ENVELOPE.too_large(8_000_000).status == 400
