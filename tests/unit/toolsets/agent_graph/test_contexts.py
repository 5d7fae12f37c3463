"""How much a context holds, what reflection says of outcomes, and which words of a task are looked up."""

from itertools import pairwise

import pytest

from backends.ports.values import Json
from tests.support.loop_threads import is_beside_loop, threads_of
from tests.support.toolsets.agent_graph import Instance, part, rows
from toolsets.agent_graph import queries
from toolsets.agent_graph.contexts import MAX_WORDS, MOST, words_of


async def test_a_context_has_no_more_than_fifty_entities(kg: Instance) -> None:
    words = ("alder", "birch", "cedar", "ebony", "hazel", "maple")
    for word in words:
        for number in range(10):
            await kg.create(f"{word} {number}", "concept")
    last = await kg.create("maple", "concept")
    context = part(await kg.ask("kg_get_context", keywords=[*words]), "context")
    found = [str(row["id"]) for row in rows(context, "entities")]
    assert (len(found), found[0]) == (MOST, last)


async def test_the_counts_of_a_cut_context_agree_with_its_lists(kg: Instance) -> None:
    """Sixty entities match, fifty are shown, ten of which the first call has just read."""
    words = ("alder", "birch", "cedar", "ebony", "hazel", "maple")
    for word in words:
        for number in range(10):
            await kg.create(f"{word} {number}", "concept")
    context = await kg.ask("kg_get_context", keywords=[*words])
    assert part(context, "stats")["entityCount"] == MOST
    assert str(context["message"]).endswith("(60 found, the 50 most useful shown)")
    observed = await kg.ask("kg_get_phase_context", phase="observation", taskContent=" ".join(words))
    assert observed["entityCount"] == MOST
    assert (
        str(observed["summary"])
        == "60 entities match the task (60 found, the 50 most useful shown); 10 were read lately"
    )


async def test_matches_that_the_call_names_count_as_shown(kg: Instance) -> None:
    ids: list[Json] = [await kg.create(f"Foo {number:02}") for number in range(30)]
    await kg.ask("kg_record_outcome", entityIds=ids[:10], reward=1)
    reply = await kg.ask("kg_get_phase_context", phase="observation", taskContent="Foo", entityIds=ids[10:])
    assert str(reply["summary"]).startswith("30 entities match the task; ")


async def test_planning_counts_edges_beyond_those_that_it_reads_at_first(
    kg: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "FIRST_EDGES", 5)
    hub = await kg.create("Hub", "project")
    for number in range(30):
        await kg.link(hub, await kg.create(f"Dep {number}"), "DEPENDS_ON", confidence=0.9)
        await kg.link(await kg.create(f"Task {number}", "task"), hub, "BLOCKS", confidence=0.3)
    planned = await kg.ask("kg_get_phase_context", phase="planning", entityIds=[hub])
    shown = f"(61 found, the {planned['entityCount']} most useful shown)"
    assert planned["summary"] == f"30 dependencies, 30 blockers, 0 resources in use {shown}"
    reasoned = await kg.ask("kg_get_phase_context", phase="reasoning", entityIds=[hub])
    assert str(reasoned["summary"]).startswith("61 entities within 2 steps (61 found, the 50 most useful shown); ")


async def test_planning_shows_the_edges_of_an_entity_that_has_more_than_are_read(
    kg: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = await kg.create("Hub", "project")
    needed = [await kg.link(hub, await kg.create(f"Dep {number}"), "DEPENDS_ON") for number in range(4)]
    whole = await kg.ask("kg_get_phase_context", phase="planning", entityIds=[hub])
    monkeypatch.setattr(queries, "FIRST_EDGES", 2)
    monkeypatch.setattr(queries, "MAX_EXPANSION", 3)
    cut = await kg.ask("kg_get_phase_context", phase="planning", entityIds=[hub])
    assert whole["relationshipCount"] == len(needed)
    # The most useful entities are shown whatever the limits are, and here they are all.
    assert cut["relationshipCount"] == len(needed)


async def test_action_lists_what_an_entity_uses_not_what_uses_it(kg: Instance) -> None:
    tool, used = await kg.create("Tool", "concept"), await kg.create("Used", "concept")
    await kg.link(tool, used, "USES")
    await kg.link(await kg.create("Project", "project"), tool, "USES")
    reply = await kg.ask("kg_get_phase_context", phase="action", entityIds=[tool])
    listed = rows(part(reply, "phaseContext"), "entities")
    assert [row["name"] for row in listed] == ["Tool", "Used"]


async def test_an_entity_of_keyword_and_task_counts_once_however_both_are_cut(kg: Instance) -> None:
    text = ". ".join(f"Maple{number} Smith works on COBOL" for number in range(15))
    await kg.ask("kg_extract_from_text", text=f"{text}.", sourceId="task-7")
    of_task = await kg.ask("kg_get_context", taskId="task-7")
    of_word = await kg.ask("kg_get_context", keywords=["maple"])
    assert str(of_word["message"]).endswith("(15 found, the 10 most useful shown)")
    many = [f"word{number}" for number in range(49)]
    both = await kg.ask("kg_get_context", keywords=["maple", *many], taskId="task-7")
    assert part(both, "stats") == part(of_task, "stats")
    assert "found, the" not in str(both["message"])


async def test_reflection_names_what_helped_and_what_did_not(kg: Instance) -> None:
    good, bad, _ = await kg.create("good"), await kg.create("bad"), await kg.create("untried")
    await kg.ask("kg_record_outcome", entityIds=[good], reward=1)
    await kg.ask("kg_record_outcome", entityIds=[bad], reward=-1)
    summary = str((await kg.ask("kg_get_phase_context", phase="reflection"))["summary"])
    assert summary == "3 entities changed last; 1 helped (good), 1 did not (bad)"


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("Rewrite the parser in Go", ("Rewrite", "parser", "Go")),
        ("Use C# or an IDE", ("C#", "IDE")),
        ("go to it", ()),
        ("Docker, docker and DOCKER", ("Docker",)),
        ("", ()),
        ("認証を実装する", ("認証", "実装")),
        ("实现用户模块", ("实现", "现用", "用户", "户模", "模块")),
        ("인증을 구현", ("인증", "증을", "구현")),
        ("データベースのRedisを使う", ("データベース", "Redis")),
        ("Go認証", ("Go", "認証")),
        ("दिल्ली के लिए योजना", ("दिल्ली", "के", "लिए", "योजना")),
        ("Zoe\u0308s Cafe\u0301", ("Zoës", "Café")),
        ("パス", ("パス",)),
    ],
)
def test_common_words_are_left_out_and_short_ones_that_are_no_names(task: str, words: tuple[str, ...]) -> None:
    assert words_of(task) == words


def test_no_more_than_twenty_words_are_looked_up() -> None:
    assert words_of(" ".join(f"word{number}" for number in range(30))) == tuple(f"word{n}" for n in range(MAX_WORDS))


MARKS = "\u0f73" * 490


async def test_long_keywords_and_many_entities_are_compared_beside_the_event_loop(
    kg: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kg.create("Docker")
    threads = threads_of(monkeypatch, queries, "shadow")
    await kg.ask("kg_get_context", keywords=["Docker", *(f"{number} {MARKS}" for number in range(30))])
    assert is_beside_loop(threads)
    monkeypatch.setattr(queries, "_PAIRS", 1)
    words = [f"w{number}" for number in range(40)]
    for number in range(25):
        await kg.create(f"{' '.join(words)} {number}", aliases=[f"alias {number}"])
    threads = threads_of(monkeypatch, queries, "_lacking")
    await kg.ask("kg_get_context", keywords=words)
    assert is_beside_loop(threads)


async def test_reasoning_joins_the_first_five_of_the_named_entities(kg: Instance) -> None:
    """Five entities form ten pairs; the sixth one is joined to none."""
    named: list[Json] = [await kg.create(f"Part {number}") for number in range(6)]
    for one, other in pairwise(named):
        await kg.link(str(one), str(other), "USES")
    reply = await kg.ask("kg_get_phase_context", phase="reasoning", entityIds=named)
    assert str(reply["summary"]).endswith("; 10 paths join those that were named")


async def test_reflection_shows_the_last_twenty_that_changed(kg: Instance) -> None:
    created = [await kg.create(f"Part {number:02}") for number in range(25)]
    reply = await kg.ask("kg_get_phase_context", phase="reflection")
    listed = [str(row["id"]) for row in rows(part(reply, "phaseContext"), "entities")]
    assert sorted(listed) == sorted(created[-20:])
