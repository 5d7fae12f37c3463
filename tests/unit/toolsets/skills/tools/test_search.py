"""The search looks at both sides, and at no more of them than it has to."""

from pathlib import Path

import pytest

from tests.support.loop_threads import is_beside_loop, threads_of
from tests.support.toolsets.skills import Instance, joined, stores_in
from toolsets.skills import scores
from toolsets.skills.scores import CANDIDATES_PER_RESULT


async def test_a_rare_word_is_found_among_many_that_mean_the_same(skills: Instance) -> None:
    for number in range(12):
        await skills.learn(f"Invoice number {number}37 is wrong.", f"Issue a credit note with template K{number}X9.")
    reply = await skills.ask("search_skills", query="K7X9", top_k=1)
    assert "K7X9" in str(reply["matches"])
    assert CANDIDATES_PER_RESULT == 2


async def test_scores_do_not_depend_on_how_many_are_asked_for_by_meaning_alone(skills: Instance) -> None:
    await skills.learn("The bell is mute.", "Turn the wheel.")
    await skills.learn("The invoice is wrong.", "Issue a credit note.")
    one = await skills.ask("search_skills", query="xylophone", top_k=1)
    both = await skills.ask("search_skills", query="xylophone", top_k=2)
    assert str(one["matches"])[1:-1] in str(both["matches"])


async def test_nothing_is_no_answer_while_the_vectors_lack_skills_of_the_log(tmp_path: Path) -> None:
    async with stores_in(tmp_path) as stores, joined(stores) as skills:
        assert (await skills.ask("search_skills", query="bell"))["matches"] == []
        await skills.learn("The bell is mute.", "Turn the wheel.")
    (tmp_path / "vectors.db").unlink()
    async with stores_in(tmp_path) as stores, joined(stores) as skills:
        refused = await skills.ask("search_skills", query="bell")
        assert refused["error"] == "store_unavailable"
        assert "with 1 skill to go" in str(refused["detail"])


async def test_a_long_question_is_ranked_beside_the_event_loop(
    skills: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    await skills.learn("The bell is mute.", "Turn the wheel.")
    threads = threads_of(monkeypatch, scores, "lexical_ranking")
    await skills.ask("search_skills", query="bell " * 1_200)
    assert is_beside_loop(threads)
