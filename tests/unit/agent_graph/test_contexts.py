"""How much a context holds, and what reflection says of outcomes."""

from tests.unit.agent_graph.running import Instance, part, rows
from toolsets.agent_graph.phases import MOST


async def test_a_context_has_no_more_than_fifty_entities(kg: Instance) -> None:
    words = ("alder", "birch", "cedar", "ebony", "hazel", "maple")
    for word in words:
        for number in range(10):
            await kg.create(f"{word} {number}", "concept")
    last = await kg.create("maple", "concept")
    context = part(await kg.ask("kg_get_context", keywords=[*words]), "context")
    found = [str(row["id"]) for row in rows(context, "entities")]
    assert (len(found), found[0]) == (MOST, last)


async def test_reflection_names_what_helped_and_what_did_not(kg: Instance) -> None:
    good, bad, _ = await kg.create("good"), await kg.create("bad"), await kg.create("untried")
    await kg.ask("kg_record_outcome", entityIds=[good], reward=1)
    await kg.ask("kg_record_outcome", entityIds=[bad], reward=-1)
    summary = str((await kg.ask("kg_get_phase_context", phase="reflection"))["summary"])
    assert summary == "3 entities changed last; 1 helped (good), 1 did not (bad)"
