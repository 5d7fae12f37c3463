"""Vectors are searched by true cosine and by words, without a query language."""

import numpy
import pytest

from backends.kit.filter_evaluation import matches
from backends.ports.capabilities import Capabilities
from backends.ports.errors import InvalidInput
from backends.ports.filters import And, Eq, Filter, Ge, Lt, Not
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import VectorRecord, Vectors
from contracts.corpus import HOSTILE_TEXTS, LONG, TWINS, seeded
from contracts.ports.vector_records import NAME, THINGS, axis, cloud, cosine, fill, record
from contracts.promises import promise

CLOSE = 1e-5
"""The precision of float32, in which engines keep vectors."""


async def _cloud(vectors: Vectors, count: int, seed: int) -> list[VectorRecord]:
    records = [record(f"r{number:04}", vector, rank=number % 100) for number, vector in enumerate(cloud(count, seed))]
    await fill(vectors, *records)
    return records


async def _check(
    vectors: Vectors, records: list[VectorRecord], k: int, where: Filter | None, capabilities: Capabilities, seed: int
) -> None:
    """Compare ten searches with an exact ranking; scores must be right, and ids as good as possible."""
    found = wanted = 0
    matching = [item for item in records if where is None or matches(where, item.fields)]
    for query in cloud(10, seed):
        truth = {item.id: cosine(query, item.vector) for item in matching}
        best = sorted(truth, key=lambda name: (-truth[name], name))[:k]
        hits = await vectors.dense(NAME, query, k, where=where)
        assert len(hits) == len({hit.id for hit in hits}) == len(best)
        assert all(abs(hit.score - truth[hit.id]) < CLOSE for hit in hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        floor = truth[best[-1]] if best else 0.0
        found += sum(truth[hit.id] >= floor - CLOSE for hit in hits)
        wanted += len(best)
    assert found >= (1.0 if capabilities.exact_dense else 0.95) * wanted


@promise("vectors:dense:nearest", "vectors:dense:score")
@pytest.mark.parametrize(("count", "k"), [(40, 1), (40, 40), (40, 1_000), (2_000, 10)])
async def test_the_nearest_records_come_best_first_with_true_cosine(
    vectors: Vectors, capabilities: Capabilities, count: int, k: int
) -> None:
    """All records are found if fewer than k exist; recall is at least 0.95 for an engine with an approximate index."""
    records = await _cloud(vectors, count, seed=count)
    await _check(vectors, records, k, None, capabilities, seed=1)


@promise("vectors:dense:pre-filter")
@pytest.mark.parametrize(
    "where", [Eq("rank", 7), Lt("rank", 3), Not(Lt("rank", 1)), And((Ge("rank", 99), Eq("rank", 1)))]
)
async def test_the_filter_is_applied_before_ranking(
    vectors: Vectors, capabilities: Capabilities, where: Filter
) -> None:
    """k matches are returned if k exist, however far they are."""
    records = await _cloud(vectors, 2_000, seed=5)
    await _check(vectors, records, 10, where, capabilities, seed=2)


@promise("vectors:dense:maintained")
async def test_maintenance_changes_no_answer(vectors: Vectors, capabilities: Capabilities) -> None:
    """Deleted, replaced and new records are right before and after."""
    records = await _cloud(vectors, 500, seed=6)
    await vectors.maintain(NAME)
    await vectors.delete(NAME, {item.id: Revision(2) for item in records[:100]})
    moved = [record(str(item.id), vector, rev=2) for item, vector in zip(records[100:200], cloud(100, 7), strict=True)]
    await vectors.upsert(NAME, moved)
    standing = moved + records[200:]
    await _check(vectors, standing, 10, None, capabilities, seed=3)
    await vectors.maintain(NAME)
    await _check(vectors, standing, 10, None, capabilities, seed=3)


@promise("vectors:dense:ties")
async def test_equal_scores_come_by_id(vectors: Vectors) -> None:
    """Ties go by id, also at the cut at k."""
    names = [f"r{number:03}" for number in range(60)]
    shuffled = seeded(1).sample(names, len(names))
    await fill(vectors, *(record(name, cloud(1, 9)[0]) for name in shuffled), record("a-other", -cloud(1, 9)[0]))
    hits = await vectors.dense(NAME, cloud(1, 9)[0], 25)
    assert [hit.id for hit in hits] == names[:25]
    hits = await vectors.dense(NAME, cloud(1, 10)[0], 61)
    assert [hit.id for hit in hits if hit.id != "a-other"] == names


@promise("vectors:dense:score")
async def test_the_score_is_cosine_whatever_the_lengths(vectors: Vectors) -> None:
    """Cosine is 1 for the same direction, 0 for a right angle, -1 for the opposite, and never beyond."""
    await fill(
        vectors,
        record("same", axis(0) * 1e-3),
        record("right", axis(1) * 1e3),
        record("opposite", -axis(0) * 7),
    )
    hits = await vectors.dense(NAME, axis(0) * 42, 3)
    assert [hit.id for hit in hits] == ["same", "right", "opposite"]
    assert [round(hit.score, 5) for hit in hits] == [1.0, 0.0, -1.0]
    assert all(-1 <= hit.score <= 1 for hit in hits)


@promise("vectors:dense:min-score")
async def test_the_least_score_is_inclusive(vectors: Vectors) -> None:
    """Records below the bound are left out, a record exactly at it is not."""
    half = numpy.asarray(axis(0) + axis(1), dtype=numpy.float32)
    await fill(vectors, record("one", axis(0)), record("half", half), record("none", axis(1)), record("less", -axis(0)))
    by_id = {hit.id: hit.score for hit in await vectors.dense(NAME, axis(0), 10)}
    for least, expected in (
        (by_id[RecordId("half")], ["one", "half"]),
        (by_id[RecordId("one")], ["one"]),
        (0.0, ["one", "half", "none"]),
        (-1.0, ["one", "half", "none", "less"]),
    ):
        hits = await vectors.dense(NAME, axis(0), 10, min_score=least)
        assert [hit.id for hit in hits] == expected


@promise("vectors:dense:limits", "vectors:keyword:limits")
@pytest.mark.parametrize("k", [0, -1, 1_001])
async def test_a_search_returns_one_to_a_thousand(vectors: Vectors, k: int) -> None:
    """A number out of range is refused, not clamped."""
    await fill(vectors, record("r", None, "word"))
    with pytest.raises(InvalidInput):
        await vectors.dense(NAME, axis(0), k)
    with pytest.raises(InvalidInput):
        await vectors.keyword(NAME, "word", k)


@promise("vectors:dense:empty", "vectors:keyword:empty")
async def test_an_empty_collection_finds_nothing(vectors: Vectors) -> None:
    """An engine without an index yet must not fail."""
    await vectors.ensure(THINGS)
    assert list(await vectors.dense(NAME, axis(0), 10)) == []
    assert list(await vectors.keyword(NAME, "word", 10)) == []
    await vectors.maintain(NAME)
    assert list(await vectors.dense(NAME, axis(0), 10, where=Eq("rank", 1))) == []


@promise("vectors:keyword:words")
async def test_records_that_share_words_are_found_whatever_their_case(vectors: Vectors) -> None:
    """One common word is enough; a record without one is not found."""
    await fill(
        vectors,
        record("loops", None, "For loops iterate over sequences"),
        record("trees", None, "Trees have branches, and leaves."),
        record("both", None, "ITERATE over a tree's Branches"),
        record("blank", None, ""),
    )
    assert {hit.id for hit in await vectors.keyword(NAME, "iterate", 10)} == {"loops", "both"}
    assert {hit.id for hit in await vectors.keyword(NAME, "BRANCHES sequences", 10)} == {"loops", "trees", "both"}
    assert list(await vectors.keyword(NAME, "nothing here matches zebra"[13:], 10)) == []


@promise("vectors:keyword:order")
async def test_what_shares_more_words_comes_first(vectors: Vectors) -> None:
    """k cuts the rest."""
    filler = [record(f"f{number:02}", None, f"filler text number{number} of no interest") for number in range(30)]
    await fill(
        vectors,
        record("all", None, "red green blue"),
        record("two", None, "red green yellow"),
        record("one", None, "red purple yellow"),
        *filler,
    )
    assert [hit.id for hit in await vectors.keyword(NAME, "red green blue", 10)] == ["all", "two", "one"]
    assert [hit.id for hit in await vectors.keyword(NAME, "blue red green", 2)] == ["all", "two"]


@promise("vectors:keyword:rarity")
async def test_a_rare_word_counts_more_and_a_repeated_one_once(vectors: Vectors) -> None:
    """Letter case, punctuation and repetition in the text searched for make no difference."""
    colours = ("green", "grey", "white", "brown", "black")
    filler = [record(f"f{number:02}", None, f"{colours[number % 5]} leaf there") for number in range(60)]
    await fill(
        vectors, record("rare", None, "purple leaf here"), record("common", None, "green leaf here"), *filler[:20]
    )
    await vectors.maintain(NAME)
    await fill(vectors, *filler[20:])
    for text in ("purple green", "green purple", "Green, green GREEN green? purple"):
        hits = await vectors.keyword(NAME, text, 3)
        assert next(hit.id for hit in hits) == "rare"


@promise("vectors:keyword:rarity")
async def test_a_word_inside_longer_words_is_as_rare_as_it_is(vectors: Vectors) -> None:
    """Neither does the underscore join words, nor do marks, digits or the ends of a text hide them."""
    longer = [record(f"l{number:02}", None, f"cartwheel{number} artichoke smart2art") for number in range(40)]
    others = [record(f"o{number:02}", None, f"a boat number {number}") for number in range(20)]
    await fill(vectors, *longer, *others, record("rare", None, "snake_art"))
    assert next(hit.id for hit in await vectors.keyword(NAME, "art boat", 3)) == "rare"
    assert [hit.id for hit in await vectors.keyword(NAME, "art", 3)] == ["rare"]


@promise("vectors:keyword:ties")
@pytest.mark.parametrize(("count", "maintained"), [(100, False), (500, True)])
async def test_equal_texts_are_found_by_id(vectors: Vectors, count: int, maintained: bool) -> None:  # noqa: FBT001 -- a case
    """They are stored in another order and in several calls, half of them after maintenance."""
    numbers = [number * 37 % count for number in range(count)]
    stored = [record(f"r{number:03}", None, "a common word", rank=number) for number in numbers]
    await fill(vectors, record("best", None, "one common tie"), *stored[: count // 2])
    await vectors.maintain(NAME)
    for start in range(count // 2, count, count // 10):
        await fill(vectors, *stored[start : start + count // 10])
    if maintained:
        await vectors.maintain(NAME)
    for _ in range(5):
        hits = await vectors.keyword(NAME, "tie common", 6)
        assert [hit.id for hit in hits] == ["best", "r000", "r001", "r002", "r003", "r004"]
        kept = await vectors.keyword(NAME, "tie common", 3, where=Ge("rank", 40))
        assert [hit.id for hit in kept] == ["r040", "r041", "r042"]


@promise("vectors:keyword:filter")
async def test_a_word_search_keeps_to_its_filter(vectors: Vectors) -> None:
    """k matches are returned if k exist."""
    await fill(vectors, *(record(f"r{number:03}", None, "common word", rank=number) for number in range(300)))
    hits = await vectors.keyword(NAME, "common", 5, where=Ge("rank", 295))
    assert {hit.id for hit in hits} == {f"r{number}" for number in range(295, 300)}


@promise("vectors:keyword:no-syntax")
@pytest.mark.parametrize(
    "text", [*HOSTILE_TEXTS, "AND", "OR NOT", "NEAR", "a AND", "col:word", '"', "*", "^x", "-word", "(", "{a b}:"]
)
async def test_a_word_search_has_no_syntax(vectors: Vectors, text: str) -> None:
    """Any text is a search for its words: it raises no error, and records with them are found."""
    await fill(vectors, record("r", None, f"alpha {text} omega"), record("other", None, "word b x"))
    hits = await vectors.keyword(NAME, f"{text} omega", 10)
    assert "r" in {hit.id for hit in hits}
    await vectors.keyword(NAME, text, 10)


@promise("vectors:keyword:no-word")
@pytest.mark.parametrize("text", ["", "   ", "\t\n", "!?.", "-- * ()", "\u200b", "'\"`"])
async def test_text_without_a_word_finds_nothing(vectors: Vectors, text: str) -> None:
    """A query without words finds nothing."""
    await fill(vectors, record("r", None, "some words - and ! signs"))
    assert list(await vectors.keyword(NAME, text, 10)) == []


@promise("vectors:keyword:shadow")
@pytest.mark.parametrize(("stored", "sought"), [*TWINS, *((nfd, nfc) for nfc, nfd in TWINS)])
async def test_composed_and_decomposed_words_are_the_same(vectors: Vectors, stored: str, sought: str) -> None:
    """A word is found in either form."""
    await fill(vectors, record("r", None, f"before {stored} after"), record("other", None, "something else"))
    assert [hit.id for hit in await vectors.keyword(NAME, sought, 10)] == ["r"]


@promise("vectors:keyword:long")
async def test_a_text_over_32_kilobytes_is_kept_but_not_found_by_words(vectors: Vectors) -> None:
    """Such a record is still found by its vector."""
    await fill(vectors, record("long", axis(0), f"needle {LONG}"), record("short", axis(1), "needle"))
    assert [hit.id for hit in await vectors.keyword(NAME, "needle", 10)] == ["short"]
    assert [hit.id for hit in await vectors.dense(NAME, axis(0), 1)] == ["long"]
