"""The extension that restores a deleted concept: as it was, with its history and its edges."""

from pathlib import Path
from typing import cast

from backends.ports.values import Json, JsonObject
from tests.support.toolsets.knowledge import Instance, toolset_in

NOBODY = "00000000-0000-4000-8000-000000000000"


async def test_a_restored_concept_is_back_in_every_answer_with_history_and_edges(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, extensions=True) as knowledge:
        a, b = await knowledge.create("Loops"), await knowledge.create("Recursion")
        await knowledge.ask("update_concept", concept_id=a, explanation="Repetition of steps.")
        await knowledge.link(a, b)
        before = await knowledge.ask("get_concept", concept_id=a, include_history=True)
        related = await knowledge.ask("get_related_concepts", concept_id=b)
        await knowledge.ask("delete_concept", concept_id=a)
        restored = await knowledge.ask("restore_concept", concept_id=a)
        assert (restored["concept_id"], restored["message"]) == (a, "Restored")
        after = await knowledge.ask("get_concept", concept_id=a, include_history=True)
        assert without_time(after) == without_time(before)
        assert await knowledge.ask("get_related_concepts", concept_id=b) == related
        assert "Loops" in await knowledge.names(name="Loops")
        found = await knowledge.ask("search_concepts_semantic", query="repetition")
        assert a in str(found)
        assert (await knowledge.ask("create_concept", name="Loops", explanation="x"))["error"] == "validation_error"


async def test_a_name_that_was_given_away_refuses_the_restoration(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, extensions=True) as knowledge:
        first = await knowledge.create("Loops")
        await knowledge.ask("delete_concept", concept_id=first)
        other = await knowledge.create("Loops")
        refused = await knowledge.ask("restore_concept", concept_id=first)
        assert (refused["error"], other in str(refused["details"])) == ("validation_error", True)
        assert (await knowledge.ask("get_concept", concept_id=first))["error"] == "concept_not_found"


async def test_only_a_deleted_concept_changes(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, extensions=True) as knowledge:
        live = await knowledge.create("Loops")
        events = await events_of(knowledge)
        unchanged = await knowledge.ask("restore_concept", concept_id=live)
        assert (unchanged["success"], unchanged["message"]) == (True, "It was not deleted; nothing was changed")
        for unknown in (NOBODY, "no id"):
            assert (await knowledge.ask("restore_concept", concept_id=unknown))["error"] == "concept_not_found"
        assert await events_of(knowledge) == events


async def test_the_extension_is_off_unless_it_is_switched_on(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as knowledge:
        assert "restore_concept" not in knowledge.tools
        assert len(knowledge.tools) == 17


async def events_of(knowledge: Instance) -> int:
    return await (await knowledge.log()).head()


def without_time(reply: JsonObject) -> dict[str, Json]:
    concept = cast("JsonObject", reply["concept"])
    return {key: value for key, value in concept.items() if key != "last_modified"}
