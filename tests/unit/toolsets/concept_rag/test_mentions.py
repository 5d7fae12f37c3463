"""Passages list the concepts they name, and concepts those that they go with."""

import numpy
import pytest

from toolsets.concept_rag.concepts import Concept, Embed
from toolsets.concept_rag.mentions import ConceptMatcher, related_concepts
from toolsets.concept_rag.names import normal_form


def concept(name: str, score: float = 0.5) -> Concept:
    return Concept(name, normal_form(name), score)


PACKAGE, SOURCE, DEBIAN = concept("package"), concept("source package"), concept("Debian")


def test_a_passage_names_concepts_in_any_form_densest_first() -> None:
    found = ConceptMatcher([PACKAGE, SOURCE, DEBIAN]).find("Source packages of Debian: a Source-Package is a package.")
    assert [mention.concept for mention in found] == [SOURCE, PACKAGE, DEBIAN]
    assert [mention.density for mention in found] == pytest.approx([0.4, 0.3, 0.1])


def test_a_density_is_a_share_of_the_words() -> None:
    (mention,) = ConceptMatcher([PACKAGE]).find("package packages package")
    assert mention.density == 1.0


def test_words_inside_words_and_other_texts_are_no_mentions() -> None:
    matcher = ConceptMatcher([PACKAGE, SOURCE, concept("C"), concept("C++")])
    assert matcher.find("Prepackaged sources, resource packaging.") == ()
    assert [mention.concept.name for mention in matcher.find("written in C++")] == ["C++"]
    assert matcher.find("") == ()
    assert ConceptMatcher([]).find("package") == ()


def test_of_two_concepts_with_one_key_the_first_counts() -> None:
    (mention,) = ConceptMatcher([concept("package", 0.9), concept("Packages", 0.1)]).find("packages")
    assert mention.concept.score == 0.9


async def test_concepts_of_the_same_passages_are_related_best_first(embed: Embed) -> None:
    concepts = [concept(name) for name in ("voltage", "current", "invoice", "payment", "zebra")]
    passages = (
        [["voltage", "current"]] * 5 + [["invoice", "payment"]] * 3 + [["voltage", "invoice"], ["zebra"], ["unknown"]]
    )
    vectors = await embed([each.name for each in concepts])
    related = related_concepts(concepts, passages, vectors)
    assert [each.concept.name for each in related["voltage"]] == ["current", "invoice"]
    assert related["voltage"][0].score > related["voltage"][1].score
    assert related["zebra"] == ()
    assert all(0 <= each.score <= 1 for others in related.values() for each in others)


def test_a_concept_has_ten_relatives_at_most() -> None:
    concepts = [concept(f"term{number}") for number in range(30)]
    vectors = numpy.eye(30, dtype=numpy.float32)
    related = related_concepts(concepts, [[each.key for each in concepts]], vectors)
    assert {len(others) for others in related.values()} == {10}
    assert [each.concept.key for each in related["term0"]] == sorted(each.key for each in concepts[1:])[:10]


def test_no_passages_relate_nothing() -> None:
    assert related_concepts([PACKAGE], [], numpy.ones((1, 3), dtype=numpy.float32)) == {"package": ()}
