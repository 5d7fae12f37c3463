"""Chunks that match a question, in all documents or in one."""

from pathlib import Path

from backends.ports.values import Json, Revision
from tests.support.documents import markdown
from tests.unit.toolsets.concept_rag.books import CARS, CIRCUITS, RELAYS, VIOLINS
from tests.unit.toolsets.concept_rag.caller import Instance, texts_of
from toolsets.concept_rag.ingestion.pool import ParserPool


async def id_of(instance: Instance, title: str) -> Json:
    """Return the catalog id of a document by its title."""
    rows = await instance.rows("catalog_search", text=title)
    return next(row["catalog_id"] for row in rows if row["title"] == title)


async def test_the_passage_that_answers_comes_first_with_its_page_and_concepts(instance: Instance) -> None:
    rows = await instance.rows(
        "broad_chunks_search", text="Why are the contacts closed and open for some milliseconds?"
    )
    assert rows[0]["title"] == RELAYS
    assert "bounce for some milliseconds" in str(rows[0]["text"])
    assert rows[0]["page_number"] == 1
    assert "debounce circuit" in texts_of(rows[0]["concepts"])
    assert set(rows[0]) == {"catalog_id", "title", "text", "page_number", "concepts", "score", "expanded_terms"}


async def test_references_are_left_out_of_all_documents_but_found_within_one(instance: Instance) -> None:
    question = "Horowitz and Hill, The Art of Electronics"
    rows = await instance.rows("broad_chunks_search", text=question)
    assert not any("Horowitz" in str(row["text"]) for row in rows)
    within = await instance.rows("chunks_search", text=question, catalog_id=await id_of(instance, RELAYS))
    assert "Horowitz" in str(within[0]["text"])


async def test_a_passage_that_shares_words_is_found_although_others_are_nearer(instance: Instance) -> None:
    """Candidates come from both sides: this number is in no vector."""
    rows = await instance.rows("broad_chunks_search", text="415")
    assert [row["title"] for row in rows] == [VIOLINS]


async def test_searching_one_document_depends_on_the_question(instance: Instance) -> None:
    catalog_id = await id_of(instance, CARS)
    oil = await instance.rows("chunks_search", text="worn engine oil", catalog_id=catalog_id)
    brakes = await instance.rows("chunks_search", text="brake fluid and water", catalog_id=catalog_id)
    assert "Oil" in str(oil[0]["text"])
    assert "Brakes" in str(brakes[0]["text"])
    assert set(oil[0]) == {"title", "text", "concepts", "concept_ids"}
    assert all(row["title"] == CARS for row in (*oil, *brakes))
    assert len(texts_of(oil[0]["concepts"])) == len(texts_of(oil[0]["concept_ids"])) > 0


async def test_a_document_with_an_answer_shows_what_else_comes_near_and_one_without_shows_nothing(
    instance: Instance,
) -> None:
    catalog_id = await id_of(instance, CARS)
    rows = await instance.rows("chunks_search", text="when is worn engine oil changed", catalog_id=catalog_id)
    assert len(rows) == 2
    assert await instance.rows("chunks_search", text="zxqwv blorf", catalog_id=catalog_id) == []


async def test_a_document_whose_chunks_are_not_all_indexed_is_not_searched_in_parts(instance: Instance) -> None:
    store = (await instance.rag.live_stores.vectors()).vectors
    record = next(each for each in (await store.scan("chunks")).items if "bounce for some" in each.text)
    await store.delete("chunks", {record.id: Revision(record.rev + 1)})
    rows = await instance.rows("broad_chunks_search", text="relay")
    assert {str(row["title"]) for row in rows} == {CIRCUITS}


SLIDE = (
    "A rivet of copper is split by a chisel, never by a saw or a file. The chisel is held upright above the head of the "
    "rivet, and a second worker holds the rivet from the other side. The hammer is light, and each blow is aimed at the "
    "handle of the chisel. The halves of the head fall to the left and to the right of the plate. The shaft is driven out "
    "of the plate with a punch, and the hole is cleaned with a reamer before a new rivet is put in. "
)
"""Enough text for a chunk."""


async def _talks(instance: Instance, pool: ParserPool, folder: Path, *titles: str) -> list[Json]:
    """Ingest a talk under each title: three overlays of one slide, then another slide. Return the ids."""
    overlays = [f"# Slide {number}\n\n{SLIDE}{'It is struck again. ' * number}" for number in range(3)]
    other = "# Buying\n\nRivets of copper are sold by weight in bags, and those of iron by number in boxes."
    for title in titles:
        (folder / f"{title}.md").write_bytes(markdown("\n\n".join([*overlays, other]), title=title))
    await instance.ingest(pool, folder)
    return [await id_of(instance, title) for title in titles]


async def test_of_the_overlays_of_a_slide_the_best_is_returned(
    instance: Instance, pool: ParserPool, folder: Path
) -> None:
    [catalog_id] = await _talks(instance, pool, folder, "Copper Rivets")
    question = "splitting rivets of copper with a chisel"
    within = await instance.rows("chunks_search", text=question, catalog_id=catalog_id)
    for rows in (await instance.rows("broad_chunks_search", text=question), within):
        assert sum("chisel" in str(row["text"]) for row in rows) == 1
        assert "chisel" in str(rows[0]["text"])
    assert "sold by weight" in str(within[1]["text"])


async def test_the_same_slide_of_two_documents_is_returned_for_both(
    instance: Instance, pool: ParserPool, folder: Path
) -> None:
    await _talks(instance, pool, folder, "Copper Rivets", "Rivets Again")
    rows = await instance.rows("broad_chunks_search", text="splitting rivets of copper with a chisel")
    assert [row["title"] for row in rows if "chisel" in str(row["text"])] == ["Copper Rivets", "Rivets Again"]
