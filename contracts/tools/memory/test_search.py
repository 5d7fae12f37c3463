"""Searches: by words in a fixed order, by meaning down to a threshold."""

import pytest

from contracts.corpus import HOSTILE_TEXTS, LONG, TWINS
from contracts.promises import promise
from contracts.tools.memory.desk import Desk
from contracts.tools.memory.replies import SimilarList

STORABLE = [text for text in HOSTILE_TEXTS if text.strip() and len(text) <= 450]


@promise("memory:search:order")
async def test_names_come_first_then_types_then_observations_each_by_name(desk: Desk) -> None:
    """An entity that has the words in several places stands where the first of them puts it."""
    word = desk.mark
    await desk.store("d3 by observation", [f"has {word} inside"])
    await desk.store("d1 by observation", ["nothing", f"{word.upper()} at the start"])
    await desk.store("c2 by type", kind=f"type {word}")
    await desk.store("c1 by type", [f"and {word}"], kind=f"Type {word.title()}")
    await desk.store(f"b {word} by name", [word], kind=word)
    await desk.store(f"a {word} by name")
    await desk.store("not at all")
    expected = [
        f"a {word} by name",
        f"b {word} by name",
        "c1 by type",
        "c2 by type",
        "d1 by observation",
        "d3 by observation",
    ]
    assert [row.name for row in await desk.search(word)] == expected
    for limit in range(1, 7):
        assert [row.name for row in await desk.search(word, limit=limit)] == expected[:limit]


@promise("memory:search:whole")
async def test_the_words_are_looked_for_as_a_whole(desk: Desk) -> None:
    """Across observations they are joined by a line's end; parts and other orders do not count."""
    name = desk.name("whole")
    await desk.store(name, [f"alpha {desk.mark}", "beta gamma"])
    for query in (f"{desk.mark}\nbeta", f"pha {desk.mark}", f"LPHA {desk.mark.upper()}"):
        assert [row.name for row in await desk.search(query)] == [name]
    for query in (f"alpha beta {desk.mark}", f"{desk.mark} alpha", f"{desk.mark} beta", f"{desk.mark}%"):
        assert await desk.search(query) == []


@promise("memory:search:short")
async def test_one_and_two_letters_are_found_too(desk: Desk) -> None:
    """Though no index of three letters has them."""
    name = f"\u0416\u0436 {desk.mark}"
    await desk.store(name)
    for query in ("\u0416\u0416", "\u0436 "):
        assert name in [row.name for row in await desk.search(query, limit=1_000)]


@promise("memory:texts:unchanged", "memory:texts:found")
async def test_hostile_texts_come_back_unchanged_and_are_found(desk: Desk) -> None:
    """As name, type, observation and relationship type."""
    start = desk.name("start")
    await desk.store(start)
    for text in STORABLE:
        name = f"{text}{desk.mark}"
        stored = await desk.store(name, [text], kind=text)
        assert (stored.status, stored.name, stored.type) == ("created", name, text)
        await desk.link(start, name, f"{text}")
        assert (await desk.observe(name, [f"{text} more"])).added_observations == [f"{text} more"]
        # A twin in another Unicode form is found as well.
        [found] = [row for row in await desk.search(name) if row.name == name]
        assert (found.type, found.observations) == (text, [text, f"{text} more"])
    related = await desk.related(start, max_depth=1, limit=1_000)
    assert sorted((row.name, row.relationship_path[0]) for row in related) == sorted(
        (f"{text}{desk.mark}", text) for text in STORABLE
    )


@promise("memory:texts:twins")
@pytest.mark.parametrize(("nfc", "nfd"), TWINS)
async def test_two_forms_of_one_name_are_two_entities_and_either_finds_both(desk: Desk, nfc: str, nfd: str) -> None:
    """Stored as given, searched alike."""
    composed, decomposed = f"{nfc} {desk.mark}", f"{nfd} {desk.mark}"
    assert [(await desk.store(name)).status for name in (composed, decomposed)] == ["created", "created"]
    for needle in (composed, decomposed, composed.upper()):
        assert {row.name for row in await desk.search(needle)} == {composed, decomposed}


@promise("memory:texts:long")
async def test_an_observation_of_64_kilobytes_is_kept_whole(desk: Desk) -> None:
    """And the entity is found by what came before it and after it."""
    name = desk.name("long")
    await desk.store(name, [f"short {desk.mark}", LONG])
    [found] = await desk.search(f"short {desk.mark}")
    assert found.observations[1] == LONG
    assert (await desk.observe(name, [f"after {desk.mark}"])).total_observations == 3
    assert [row.name for row in await desk.search(f"after {desk.mark}")] == [name]


@promise("memory:semantic:order", "memory:semantic:threshold")
async def test_similar_entities_come_closest_first_down_to_the_threshold(desk: Desk) -> None:
    """The threshold is inclusive, and every similarity is the true cosine."""
    await desk.store(desk.name("Volcano"), ["Molten rock erupts from a mountain"], kind="landform")
    await desk.store(desk.name("Violin"), ["A wooden instrument with four strings"], kind="instrument")
    query = f"lava from a mountain {desk.name('Volcano')}"
    hits = await desk.similar(query, limit=100, threshold=0.0)
    scores = [hit.similarity for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert hits[0].name == desk.name("Volcano")
    exact = await desk.similar(query, limit=100, threshold=scores[0])
    assert [(hit.name, hit.similarity) for hit in exact] == [(hits[0].name, scores[0])]
    assert await desk.similar(query, limit=100, threshold=1.0) == []


@promise("memory:semantic:defaults")
async def test_ten_entities_above_0_3_unless_told_otherwise(desk: Desk) -> None:
    """The threshold is told in the reply."""
    for number in range(12):
        await desk.store(f"{desk.mark} comet {number}", ["A comet of ice and dust near the sun"])
    query = f"{desk.mark} comet of ice"
    reply = await desk.door.ask(SimilarList, "semantic_search", database="memory", query=query)
    assert (reply.count, reply.threshold, reply.method) == (10, 0.3, "vector_similarity")
    assert all(row.similarity >= 0.3 for row in reply.entities)
    assert len(await desk.similar(query, limit=3)) == 3


@promise("memory:semantic:covers")
async def test_name_type_and_observations_are_all_searched_by_meaning(desk: Desk) -> None:
    """Each of three entities is about the same thing in another part."""
    await desk.store(f"Glacier {desk.mark}")
    await desk.store(f"Xq1 {desk.mark}", kind="glacier")
    await desk.store(f"Xq2 {desk.mark}", ["A glacier of the high mountains"])
    hits = [row.name for row in await desk.similar(f"glacier {desk.mark}", limit=1_000, threshold=0.2)]
    assert {f"Glacier {desk.mark}", f"Xq1 {desk.mark}", f"Xq2 {desk.mark}"} <= set(hits)


@promise("memory:search:order")
async def test_a_long_query_is_repeated_by_its_beginning_only(desk: Desk) -> None:
    """A reply is not made large by what was asked; the desk holds it to the first 2,000 characters."""
    query = f"{desk.mark} {'long ' * 10_000}"
    assert await desk.search(query) == []
    await desk.similar(query, limit=1)
