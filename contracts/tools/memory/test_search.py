"""Searches: by words in a fixed order, by meaning down to a threshold."""

import pytest

from contracts.corpus import HOSTILE_TEXTS, LONG, TWINS
from contracts.promises import promise
from contracts.tools.memory.client import MemoryClient
from contracts.tools.memory.replies import SimilarList

STORABLE = [text for text in HOSTILE_TEXTS if text.strip() and len(text) <= 450]


@promise("memory:search:order")
async def test_names_come_first_then_types_then_observations_each_by_name(client: MemoryClient) -> None:
    """An entity that matches in several places is listed at the first of them."""
    word = client.mark
    await client.store("d3 by observation", [f"has {word} inside"])
    await client.store("d1 by observation", ["nothing", f"{word.upper()} at the start"])
    await client.store("c2 by type", kind=f"type {word}")
    await client.store("c1 by type", [f"and {word}"], kind=f"Type {word.title()}")
    await client.store(f"b {word} by name", [word], kind=word)
    await client.store(f"a {word} by name")
    await client.store("not at all")
    expected = [
        f"a {word} by name",
        f"b {word} by name",
        "c1 by type",
        "c2 by type",
        "d1 by observation",
        "d3 by observation",
    ]
    assert [row.name for row in await client.search(word)] == expected
    for limit in range(1, 7):
        assert [row.name for row in await client.search(word, limit=limit)] == expected[:limit]


@promise("memory:search:whole")
async def test_the_words_are_looked_for_as_a_whole(client: MemoryClient) -> None:
    """Observations are joined by line ends; partial and reordered queries do not match."""
    name = client.name("whole")
    await client.store(name, [f"alpha {client.mark}", "beta gamma"])
    for query in (f"{client.mark}\nbeta", f"pha {client.mark}", f"LPHA {client.mark.upper()}"):
        assert [row.name for row in await client.search(query)] == [name]
    for query in (f"alpha beta {client.mark}", f"{client.mark} alpha", f"{client.mark} beta", f"{client.mark}%"):
        assert await client.search(query) == []


@promise("memory:search:short")
async def test_one_and_two_letters_are_found_too(client: MemoryClient) -> None:
    """An index of trigrams does not have them."""
    name = f"\u0416\u0436 {client.mark}"
    await client.store(name)
    for query in ("\u0416\u0416", "\u0436 "):
        assert name in [row.name for row in await client.search(query, limit=1_000)]


@promise("memory:texts:unchanged", "memory:texts:found")
async def test_hostile_texts_come_back_unchanged_and_are_found(client: MemoryClient) -> None:
    """They occur as name, type, observation and relationship type."""
    start = client.name("start")
    await client.store(start)
    for text in STORABLE:
        name = f"{text}{client.mark}"
        stored = await client.store(name, [text], kind=text)
        assert (stored.status, stored.name, stored.type) == ("created", name, text)
        await client.link(start, name, f"{text}")
        assert (await client.observe(name, [f"{text} more"])).added_observations == [f"{text} more"]
        # A twin in another Unicode form is found as well.
        [found] = [row for row in await client.search(name) if row.name == name]
        assert (found.type, found.observations) == (text, [text, f"{text} more"])
    related = await client.related(start, max_depth=1, limit=1_000)
    assert sorted((row.name, row.relationship_path[0]) for row in related) == sorted(
        (f"{text}{client.mark}", text) for text in STORABLE
    )


@promise("memory:texts:twins")
@pytest.mark.parametrize(("nfc", "nfd"), TWINS)
async def test_two_forms_of_one_name_are_two_entities_and_either_finds_both(
    client: MemoryClient, nfc: str, nfd: str
) -> None:
    """Names are stored as given, and either form finds both."""
    composed, decomposed = f"{nfc} {client.mark}", f"{nfd} {client.mark}"
    assert [(await client.store(name)).status for name in (composed, decomposed)] == ["created", "created"]
    for needle in (composed, decomposed, composed.upper()):
        assert {row.name for row in await client.search(needle)} == {composed, decomposed}


@promise("memory:texts:long")
async def test_an_observation_of_64_kilobytes_is_kept_whole(client: MemoryClient) -> None:
    """The entity is found by the text before and after it."""
    name = client.name("long")
    await client.store(name, [f"short {client.mark}", LONG])
    [found] = await client.search(f"short {client.mark}")
    assert found.observations[1] == LONG
    assert (await client.observe(name, [f"after {client.mark}"])).total_observations == 3
    assert [row.name for row in await client.search(f"after {client.mark}")] == [name]


@promise("memory:semantic:order", "memory:semantic:threshold")
async def test_similar_entities_come_closest_first_down_to_the_threshold(client: MemoryClient) -> None:
    """The threshold is inclusive, and every similarity is the true cosine."""
    await client.store(client.name("Volcano"), ["Molten rock erupts from a mountain"], kind="landform")
    await client.store(client.name("Violin"), ["A wooden instrument with four strings"], kind="instrument")
    query = f"lava from a mountain {client.name('Volcano')}"
    hits = await client.similar(query, limit=100, threshold=0.0)
    scores = [hit.similarity for hit in hits]
    assert scores == [round(score, 4) for score in scores]
    assert scores == sorted(scores, reverse=True)
    assert hits[0].name == client.name("Volcano")
    exact = await client.similar(query, limit=100, threshold=scores[0])
    assert [(hit.name, hit.similarity) for hit in exact] == [(hits[0].name, scores[0])]
    assert await client.similar(query, limit=100, threshold=1.0) == []


@promise("memory:semantic:defaults")
async def test_the_defaults_are_ten_entities_above_0_3(client: MemoryClient) -> None:
    """The reply contains the threshold."""
    for number in range(12):
        await client.store(f"{client.mark} comet {number}", ["A comet of ice and dust near the sun"])
    query = f"{client.mark} comet of ice"
    reply = await client.connection.ask(SimilarList, "semantic_search", database="memory", query=query)
    assert (reply.count, reply.threshold, reply.method) == (10, 0.3, "vector_similarity")
    assert all(row.similarity >= 0.3 for row in reply.entities)
    assert len(await client.similar(query, limit=3)) == 3


@promise("memory:semantic:covers")
async def test_name_type_and_observations_are_all_searched_by_meaning(client: MemoryClient) -> None:
    """Each of three entities has the topic in another part."""
    await client.store(f"Glacier {client.mark}")
    await client.store(f"Xq1 {client.mark}", kind="glacier")
    await client.store(f"Xq2 {client.mark}", ["A glacier of the high mountains"])
    hits = [row.name for row in await client.similar(f"glacier {client.mark}", limit=1_000, threshold=0.2)]
    assert {f"Glacier {client.mark}", f"Xq1 {client.mark}", f"Xq2 {client.mark}"} <= set(hits)


@promise("memory:search:order")
async def test_a_long_query_is_repeated_by_its_beginning_only(client: MemoryClient) -> None:
    """A long query does not make a reply long; the first 2,000 characters are repeated."""
    query = f"{client.mark} {'long ' * 10_000}"
    assert await client.search(query) == []
    await client.similar(query, limit=1)
