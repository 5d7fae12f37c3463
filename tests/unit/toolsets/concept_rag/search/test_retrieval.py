"""Candidates: true cosines, the best of each side, and two calls at once."""

from dataclasses import replace

import anyio
import numpy
import pytest

from backends.ports.values import RecordId, Revision
from backends.ports.vectors import Hit, VectorRecord
from tests.support.loop_threads import is_beside_loop, threads_of
from tests.unit.toolsets.concept_rag.caller import Instance
from toolsets.concept_rag import library as library_module
from toolsets.concept_rag.search import query as query_module
from toolsets.concept_rag.search.retrieval import (
    Candidate,
    best_by_words,
    best_of_each,
    both,
    candidates_of,
    concept_cosines,
    retrieve,
    sample_of,
)
from toolsets.concept_rag.search.scores import CANDIDATES
from toolsets.spec import ToolError


def record(name: str, *numbers: float) -> VectorRecord:
    return VectorRecord(RecordId(name), numpy.array(numbers, dtype=numpy.float32), name, Revision(1))


def test_what_words_found_has_its_true_cosine_too() -> None:
    records = {RecordId(name): record(name, *numbers) for name, numbers in {"a": (1, 0), "b": (0.6, 0.8)}.items()}
    ids = [RecordId("a"), RecordId("gone"), RecordId("b")]
    found = candidates_of(ids, records, {RecordId("a"): 0.75}, numpy.array([1, 0], dtype=numpy.float32))
    assert [(each.record.id, round(each.cosine, 3)) for each in found] == [("a", 0.75), ("b", 0.6)]


def test_thirty_of_each_side_are_kept_and_some_are_both() -> None:
    empty = record("x", 1.0)
    by_both = [Candidate(empty, 0.5, rank, 39 - rank) for rank in range(40)]
    kept = best_of_each(by_both)
    assert [each.near_rank for each in kept] == [*range(40)]
    near = [Candidate(empty, 0.5, rank, None) for rank in range(40)]
    words = [Candidate(empty, 0.5, None, rank) for rank in range(5)]
    assert best_of_each([*near, *words]) == [*near[:CANDIDATES], *words]


def test_candidates_that_were_left_out_make_room_for_the_next() -> None:
    empty = record("x", 1.0)
    near = [Candidate(empty, 0.5, rank, None) for rank in range(40) if rank % 10 != 0]
    assert [each.near_rank for each in best_of_each(near)][-1] == 33


def test_the_best_by_words_do_not_depend_on_the_order_of_the_hits() -> None:
    texts = {"a": "relay", "b": "relay coil", "c": "coil and a long text about other things", "d": "relay"}
    records = {RecordId(id_): replace(record(id_, 1.0), text=text) for id_, text in texts.items()}
    hits = [Hit(id_, 1.0) for id_ in records]
    sample = sample_of(hits[:1], records)
    for order in (hits, hits[::-1], [*hits, Hit(RecordId("gone"), 2.0)]):
        assert best_by_words("relay coil", order, records, sample, 3) == ["b", "c", "a"]


async def test_both_sides_bring_candidates(instance: Instance) -> None:
    vector = await instance.library.embed("415")
    candidates = (await retrieve(instance.library, "415", vector)).candidates
    assert all(each.near_rank is not None for each in candidates)
    assert [each.record.text for each in candidates if each.word_rank == 0 and "415 hertz" in each.record.text]


async def test_cosines_of_concepts_leave_unknown_ones_out(instance: Instance) -> None:
    vector = await instance.library.embed("an electrical device that switches the current of another circuit")
    groups = await instance.library.graph()
    ids = {int(str(node.fields["concept"])): node.fields["name"] for node in (await groups.find("concept")).items}
    cosines = await concept_cosines(instance.library, vector, [*ids, 12345])
    assert cosines.keys() == ids.keys()
    assert ids[max(cosines, key=cosines.__getitem__)] == "relay"


async def test_of_two_calls_the_first_error_ends_both() -> None:
    ended = anyio.Event()

    async def fails() -> int:
        raise ToolError("SEARCH_ERROR", "no")

    async def waits() -> int:
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        return 0

    with pytest.raises(ToolError, match="no"):
        await both(waits, fails)
    assert ended.is_set()


async def test_more_concepts_than_are_remembered_still_have_cosines(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "MAX_CONCEPT_VECTORS", 1)
    vector = await instance.library.embed("relay")
    graph = await instance.library.graph()
    ids = [int(str(node.fields["concept"])) for node in (await graph.find("concept")).items]
    first = await concept_cosines(instance.library, vector, ids)
    assert first.keys() == set(ids)
    assert await concept_cosines(instance.library, vector, ids) == first


async def test_a_long_question_is_analysed_beside_the_event_loop(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = threads_of(monkeypatch, query_module, "words_of")
    await instance.ask("catalog_search", text="\ufdfa relay " * 1_000)
    assert len(threads) >= 3
    assert is_beside_loop(threads)
