"""Many clients and several processes on one data directory: nothing lost, one winner, no lock in sight."""

from collections.abc import Sequence
from pathlib import Path

from tests.support.knowledge import ask, create, drained, part, rows, together
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

CLIENTS = 32


async def contest(callers: Sequence[HttpCaller], name: str) -> None:
    """Let every client create the same name; one wins, the others learn the winner's id."""
    replies = await together(create(caller, name) for caller in callers)
    winners = [reply for reply in replies if reply["success"]]
    assert len(winners) == 1, replies
    for reply in replies:
        if not reply["success"]:
            assert reply["error"] == "validation_error"
            assert part(reply, "details")["resource_id"] == winners[0]["concept_id"]


async def edit_together(callers: Sequence[HttpCaller]) -> None:
    """Let every client change one concept; the history has each change once."""
    concept = str((await create(callers[0], "edited by all"))["concept_id"])
    texts = [f"version of client {number}" for number in range(len(callers))]
    edits = [
        ask(caller, "update_concept", {"concept_id": concept, "explanation": text})
        for caller, text in zip(callers, texts, strict=True)
    ]
    replies = await together(edits)
    assert all(reply["success"] for reply in replies), [reply for reply in replies if not reply["success"]]
    found = await ask(callers[-1], "get_concept", {"concept_id": concept, "include_history": True})
    stored = part(found, "concept")
    history = rows(stored, "explanation_history")
    assert sorted(str(entry["explanation"]) for entry in history) == sorted(["All about edited by all.", *texts])
    assert history[-1]["explanation"] == stored["explanation"]


async def relate_together(callers: Sequence[HttpCaller]) -> None:
    """Let every client relate a concept of its own to one hub, and all of them the same pair."""
    hub = str((await create(callers[0], "hub"))["concept_id"])
    spokes = [str((await create(caller, f"spoke {number}"))["concept_id"]) for number, caller in enumerate(callers)]
    replies = await together(
        ask(caller, "create_relationship", {"source_id": hub, "target_id": spoke, "relationship_type": "includes"})
        for caller, spoke in zip(callers, spokes, strict=True)
    )
    assert all(reply["success"] for reply in replies), replies
    pair = {"source_id": spokes[0], "target_id": spokes[1], "relationship_type": "relates_to"}
    replies = await together(ask(caller, "create_relationship", pair) for caller in callers)
    assert sum(bool(reply["success"]) for reply in replies) == 1
    related = await ask(callers[0], "get_related_concepts", {"concept_id": hub, "limit": 50})
    assert related["total"] == len(callers)


async def total(caller: HttpCaller) -> object:
    """Return how many concepts a server counts."""
    return (await ask(caller, "list_hierarchy"))["total_concepts"]


async def test_thirty_two_clients_on_one_server_lose_nothing(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as server:
        callers = [server.caller() for _ in range(CLIENTS)]
        await contest(callers, "contested")
        await edit_together(callers)
        await relate_together(callers)
        await drained(callers[0])
        assert await total(callers[0]) == 3 + CLIENTS, "the contested, the edited, the hub and its spokes"


async def test_two_servers_on_one_data_directory_lose_nothing(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as one, ours_http(tmp_path) as other:
        callers = [server.caller() for _ in range(8) for server in (one, other)]
        await contest(callers, "contested")
        await edit_together(callers)
        await relate_together(callers)
        for caller in callers[:2]:
            await drained(caller)
            assert await total(caller) == 3 + len(callers)


async def test_each_of_two_servers_sees_what_the_other_wrote(tmp_path: Path) -> None:
    async with ours_http(tmp_path) as one, ours_http(tmp_path) as other:
        writer, reader = one.caller(), other.caller()
        for number in range(10):
            name = f"seen at once {number}"
            concept = (await create(writer, name, area="shared"))["concept_id"]
            found = await ask(reader, "get_concept", {"concept_id": concept})
            assert found["success"]
            hits = await ask(reader, "search_concepts_semantic", {"query": f"All about {name}.", "limit": 1})
            assert name in str(hits["results"])
            assert await total(reader) == number + 1
