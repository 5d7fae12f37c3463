"""Extraction stores all that a text says, shows as much of it as a reply holds, and says when a text was not read whole."""

import pytest

from tests.support.loop_threads import is_beside_loop, threads_of
from tests.support.toolsets.agent_graph import Instance, part, rows
from toolsets.agent_graph import ingest
from toolsets.agent_graph.extraction import rules
from toolsets.agent_graph.tools import extraction

ALIASES = [f"{number:02}" + "あ" * 498 for number in range(10)]


async def test_a_reply_that_is_too_large_shows_some_and_counts_all(
    kg: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "MAX_PAGE_BYTES", extraction.MAX_PAGE_BYTES // 10)
    names = [f"Zub{number}x" for number in range(50)]
    for name in names:
        await kg.create(name, aliases=[f"{name} {alias}"[:500] for alias in ALIASES])
    reply = await kg.ask("kg_extract_from_text", text=f"{', '.join(names)} and Kubx use Docker.")
    assert reply["success"] is True
    shown = len(rows(part(reply, "result"), "entities")) + len(rows(part(reply, "result"), "relationships"))
    found = int(str(reply["entitiesExtracted"])) + int(str(reply["relationshipsExtracted"]))
    assert 30 < shown < found
    assert str(reply["message"]).endswith(f"; {shown} of {found} shown, because a reply stops at about 8 MB")


async def test_a_text_that_is_not_read_to_its_end_is_named(kg: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_EFFORT", 2_000)
    reply = await kg.ask("kg_extract_from_text", text="Docker uses Python. " + "Zub, " * 3_000)
    assert "was not read to its end" in str(reply["message"])
    assert int(str(reply["entitiesExtracted"])) >= 2


async def test_many_entities_are_drawn_up_beside_the_event_loop(kg: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = threads_of(monkeypatch, ingest, "_draft")
    reply = await kg.reply("kg_extract_from_text", text=" ".join(f"Zub{n:x} uses Kub{n:x}." for n in range(4_000)))
    assert reply.is_error
    assert len(threads) > 2_000
    assert is_beside_loop(threads)
