"""A document's analysed content, before it has an id."""

from pathlib import Path

import pytest

from tests.support.parsed_documents import CIRCUITS, block, document, heading
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from toolsets.concept_rag.concepts import Embed
from toolsets.concept_rag.pipeline.analysis import Analysed, analyse, embed_chunks, prepare
from toolsets.concept_rag.pipeline.document_vectors import DocumentVectors
from toolsets.concept_rag.pipeline.scratch import VectorScratch
from toolsets.concept_rag.taxonomy.assignment import CategoryAssignment, embed_categories
from toolsets.concept_rag.taxonomy.model import load_taxonomy

TAXONOMY = load_taxonomy()


@pytest.fixture(scope="module")
async def assignment(embed: Embed) -> CategoryAssignment:
    return CategoryAssignment(TAXONOMY, await embed_categories(TAXONOMY, embed))


async def analysed(model: RememberingModel, assignment: CategoryAssignment, *, title: str = "") -> Analysed:
    prepared = prepare(
        Path("/books/circuits.txt"), document(heading("Circuits"), *map(block, CIRCUITS), title=title), None
    )
    vectors = DocumentVectors(model, VectorScratch(None, "", ""), batch=8)
    embedded = await embed_chunks(prepared, vectors, lambda _done, _chunks: None)
    return await analyse(prepared, embedded, assignment, TAXONOMY)


async def test_chunks_name_their_concepts_and_concepts_count_their_chunks(
    model: RememberingModel, assignment: CategoryAssignment
) -> None:
    found = await analysed(model, assignment)
    ids = {concept.id for concept in found.concepts}
    assert {"capacitor", "electronic circuit"} <= {concept.name for concept in found.concepts}
    assert {id_ for chunk in found.chunks for id_, _ in chunk.concepts} <= ids
    for concept in found.concepts:
        assert concept.chunks == sum(concept.id in dict(chunk.concepts) for chunk in found.chunks)
        assert all(0 <= place < len(found.concepts) for place, _ in concept.related)
    assert found.categories[0].name == "Electronics"
    assert set(found.glosses) <= ids


async def test_a_document_without_a_title_is_named_after_its_file(
    model: RememberingModel, assignment: CategoryAssignment
) -> None:
    assert (await analysed(model, assignment)).title == "circuits"
    assert (await analysed(model, assignment, title="Circuits for Beginners")).title == "Circuits for Beginners"


async def test_the_content_of_two_documents_differs_in_their_token_only(
    model: RememberingModel, assignment: CategoryAssignment
) -> None:
    found = await analysed(model, assignment)
    one, other = found.content(1), found.content(2)
    assert one.token != other.token
    assert one.model_copy(update={"token": ""}) == other.model_copy(update={"token": ""})
    assert (one.chunks, one.summary, one.concepts) == (len(found.chunks), found.summary, found.concepts)


async def test_concepts_that_are_left_out_are_named_nowhere(
    model: RememberingModel, assignment: CategoryAssignment
) -> None:
    found = await analysed(model, assignment)
    gone = {found.concepts[0].id, found.concepts[2].id}
    left = found.without(gone)
    assert [concept.id for concept in left.concepts] == [each.id for each in found.concepts if each.id not in gone]
    assert not gone & {id_ for chunk in left.chunks for id_, _ in chunk.concepts}
    before, after = ({each.id: each.related for each in some.concepts} for some in (found, left))
    for concept in left.concepts:
        names = [found.concepts[place].name for place, _ in before[concept.id] if found.concepts[place].id not in gone]
        assert [left.concepts[place].name for place, _ in after[concept.id]] == names
    assert found.without(()) == found
