"""The documents of the catalog by category, with their totals."""

from array import array

from backends.ports.values import Revision
from toolsets.concept_rag.catalog_index import (
    PREVIEW,
    CatalogIndex,
    DocumentTotals,
    IndexedDocument,
    concept_counts,
    preview,
    totals_of,
)


def document(catalog_id: int, title: str, *categories: int, concepts: tuple[int, ...] = ()) -> IndexedDocument:
    return IndexedDocument(catalog_id, Revision(1), title, "", (), 10, categories, array("q", concepts))


COILS = document(3, "coils", 1, 2, concepts=(7, 8))
RELAYS = document(1, "Relays", 1, concepts=(8, 9))
SECOND = document(2, "relays", 2, concepts=())
INDEX = CatalogIndex({each.catalog_id: each for each in (RELAYS, SECOND, COILS)})


def test_documents_of_a_category_come_by_title_and_then_by_id() -> None:
    assert INDEX.by_category == {1: [COILS, RELAYS], 2: [COILS, SECOND]}


def test_a_document_of_several_categories_comes_once() -> None:
    assert INDEX.within([1]) == [COILS, RELAYS]
    assert INDEX.within([2, 1, 5]) == [COILS, RELAYS, SECOND]
    assert INDEX.within([5]) == ()
    assert INDEX.within([]) == []


def test_a_concept_of_several_documents_counts_once_in_totals_and_per_document_in_counts() -> None:
    assert totals_of([COILS, RELAYS]) == INDEX.totals[1] == DocumentTotals(documents=2, chunks=20, concepts=3)
    assert totals_of([]) == DocumentTotals(0, 0, 0)
    assert concept_counts([COILS, RELAYS, SECOND]) == {7: 1, 8: 2, 9: 1}


def test_a_preview_is_one_line_that_is_cut_between_words() -> None:
    assert preview(" A relay\n switches. ") == "A relay switches."
    assert preview("x" * PREVIEW) == "x" * PREVIEW
    cut = preview("word " * 100)
    assert cut.endswith("word …")
    assert PREVIEW - 10 < len(cut) <= PREVIEW
    assert len(preview("x" * 1_000)) == PREVIEW
