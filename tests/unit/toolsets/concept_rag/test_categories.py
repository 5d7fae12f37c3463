"""Categories in their tree: those of the taxonomy, and former ones that still have documents."""

from array import array

import pytest

from backends.ports.values import Revision
from toolsets.concept_rag.catalog_index import CatalogIndex, IndexedDocument
from toolsets.concept_rag.categories import CategoryTree, category_tree, concept_ranking
from toolsets.concept_rag.document import CategoryFact
from toolsets.concept_rag.numeric_ids import category_id_of
from toolsets.concept_rag.taxonomy.model import load_taxonomy

TAXONOMY = load_taxonomy()


def fact(*path: str, aliases: tuple[str, ...] = (), related: tuple[str, ...] = ()) -> CategoryFact:
    *above, name = path
    return CategoryFact(
        id=category_id_of(name),
        name=name,
        description="",
        parent=above[-1] if above else None,
        path=path,
        aliases=aliases,
        related=related,
    )


def tree(*facts: CategoryFact, shipped: bool = False) -> CategoryTree:
    """The categories with one document in each."""
    documents = {
        number: IndexedDocument(number, Revision(1), "Ice", "", (), 1, (each.id,), array("q"))
        for number, each in enumerate(facts)
    }
    return category_tree(CatalogIndex(documents, {each.id: each for each in facts}), TAXONOMY if shipped else None)


def names(*categories: object) -> list[str]:
    return [str(getattr(each, "name", each)) for each in categories]


GLACIERS = fact("Earth", "Ice", "Glaciers", aliases=("Ice streams",), related=("Rivers", "Ice"))


@pytest.mark.parametrize("text", ["Glaciers", "  glaciers ", "ice  STREAMS", str(GLACIERS.id)])
def test_a_category_is_found_by_name_alias_or_id(text: str) -> None:
    found = tree(GLACIERS).find(text)
    assert found is not None
    assert found.id == GLACIERS.id


@pytest.mark.parametrize("text", ["", "glacier", "-1", "1" * 17, "²"])
def test_other_texts_name_no_category(text: str) -> None:
    assert tree(GLACIERS).find(text) is None


def test_the_parents_of_a_former_category_are_shown_with_it() -> None:
    shown = tree(GLACIERS)
    earth = shown.find("earth")
    assert earth is not None
    assert (earth.parent, earth.path, earth.id) == (None, ("Earth",), category_id_of("Earth"))
    assert names(*shown.below(earth)) == ["Ice", "Glaciers"]
    assert names(*shown.occupied) == ["Earth", "Glaciers", "Ice"]


def test_descendants_come_level_by_level_and_each_by_name() -> None:
    shown = tree(fact("A", "c", "x"), fact("A", "B", "z"), fact("A", "B", "Y"))
    root = shown.find("A")
    assert root is not None
    assert names(*shown.below(root)) == ["B", "c", "Y", "z", "x"]


def test_categories_that_are_each_others_parents_have_an_end() -> None:
    one = CategoryFact(id=1, name="One", description="", parent="Two", path=("Two", "One"))
    two = CategoryFact(id=2, name="Two", description="", parent="One", path=("One", "Two"))
    shown = tree(one, two)
    assert names(*shown.below(shown.categories[1])) == ["Two"]


def test_a_related_category_has_an_id_even_if_it_is_not_known() -> None:
    shown = tree(GLACIERS)
    assert shown.related_to(shown.categories[GLACIERS.id]) == [
        (category_id_of("Rivers"), "Rivers"),
        (category_id_of("Ice"), "Ice"),
    ]


def test_a_category_of_the_taxonomy_is_shown_as_it_is_defined_there() -> None:
    defined = TAXONOMY.find("Electronics")
    assert defined is not None
    shown = tree(fact("Old parent", "Electronics"), shipped=True)
    assert shown.categories[defined.id].path == TAXONOMY.path(defined)
    assert len(shown.categories) == len(TAXONOMY.categories)


def test_a_former_category_is_below_the_place_that_its_parent_has_now() -> None:
    defined = TAXONOMY.find("Electronics")
    assert defined is not None
    shown = tree(fact("Old root", "Electronics", "Relays", "Reed relays"), shipped=True)
    reed = shown.find("Reed relays")
    assert reed is not None
    assert reed.path == (*TAXONOMY.path(defined), "Relays", "Reed relays")
    assert names(*shown.occupied) == sorted(reed.path, key=str.casefold)
    for above in shown.occupied:
        assert above is reed or reed in shown.below(above)


def test_concepts_come_by_name_or_by_number_of_documents() -> None:
    counts, known = {1: 5, 2: 9, 3: 5, 4: 1}, {1: "relay", 2: "coil", 3: "Contact"}
    by_name = concept_ranking(counts, known, by_name=True)
    assert ([*by_name.ids], [*by_name.counts]) == ([2, 3, 1], [9, 5, 5])
    assert [*concept_ranking(counts, known, by_name=False).ids] == [2, 3, 1]
    assert [*concept_ranking({1: 5, 2: 5, 3: 9}, known, by_name=False).ids] == [3, 2, 1]
