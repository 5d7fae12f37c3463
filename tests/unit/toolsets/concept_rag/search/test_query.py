"""Questions: their phrases, synonyms, and how far a text fits what they were expanded by."""

import numpy
import pytest

from toolsets.concept_rag.search.query import Query, QueryConcept, phrases_of, synonyms_of, without_contractions
from toolsets.lexical_scores import lexical_ranking

VECTOR = numpy.ones(3, dtype=numpy.float32)


def test_phrases_have_one_to_four_words_and_no_small_word_at_their_ends() -> None:
    phrases = [phrase.text for phrase in phrases_of("How do source packages of the archive work?")]
    assert "source package" in phrases
    assert "source package of the" not in phrases
    assert "package of the archive" in phrases
    assert "the archive" not in phrases
    assert phrases.index("source package") < phrases.index("source")


def test_a_long_question_has_a_bounded_number_of_phrases() -> None:
    assert len(phrases_of("archive " * 5_000)) <= 4 * 32


def test_a_phrase_within_a_longer_one_is_distinguished() -> None:
    phrases = {phrase.text: phrase for phrase in phrases_of("source package archive package")}
    assert phrases["package"].is_within(phrases["source package"]) or phrases["package"].start == 3
    assert not phrases["source package"].is_within(phrases["package"])


def test_synonyms_are_those_of_words_and_of_terms_of_two_words() -> None:
    synonyms = synonyms_of("the cars and a hard disk")
    assert "automobile" in synonyms["car"]
    assert "fixed disk" in synonyms["hard disk"]
    assert "the" not in synonyms
    assert "hard" not in synonyms


@pytest.mark.parametrize("small", ["does", "was", "has", "his", "does not", "don't", "won’t", "haven't", "you'll", "t"])
def test_function_words_and_contractions_have_no_synonyms(small: str) -> None:
    """Their singulars and parts look like nouns: "doe" is the Department of Energy, and "won" is money."""
    assert synonyms_of(f"why {small} they keep") == synonyms_of("why they keep")
    texts = {phrase.text for phrase in phrases_of(f"{small} keep")}
    assert not {"doe", "wa", "ha", "hi", "don", "won", "haven", "ll"} & texts
    assert not {"doe", "wa", "ha", "hi"} & set(Query(f"why {small} rest", VECTOR).keywords({}).split())


def test_contractions_are_no_words_of_a_question() -> None:
    assert without_contractions("Why can’t they've kept O'Reilly's book?") == "Why not not kept O'Reilly's book?"
    assert without_contractions("can't") == "can't"


def test_concepts_count_by_the_share_of_the_question_that_they_account_for() -> None:
    concepts = (QueryConcept(1, "relay", 1.0), QueryConcept(2, "coil", 1.0), QueryConcept(3, "switch", 0.3))
    query = Query("relays and coils", VECTOR, concepts=concepts)
    assert query.covered_share({1: 1.0, 2: 1.0}) == 1
    assert query.covered_share({1: 1.0}) == 0.5
    assert query.covered_share({1: 0.8, 2: 0.4}) == pytest.approx(0.6)
    assert query.covered_share({1: 1.0, 3: 1.0}) == pytest.approx(0.65)
    assert query.covered_share({3: 1.0}) == pytest.approx(0.15)
    assert query.covered_share({}) == 0


def test_one_common_concept_of_a_long_question_does_not_fill_the_component() -> None:
    query = Query("what tells whether a file was closed at once?", VECTOR, concepts=(QueryConcept(1, "file", 1.0),))
    assert query.covered_share({1: 1.0}) <= 0.25
    longer = Query("source package builds", VECTOR, concepts=(QueryConcept(1, "source package", 1.0),))
    assert longer.covered_share({1: 1.0}) == pytest.approx(2 / 3)


def test_a_concept_that_is_only_near_does_not_fill_the_component() -> None:
    query = Query("something", VECTOR, concepts=(QueryConcept(3, "switch", 0.3),))
    assert query.covered_share({3: 1.0}) == pytest.approx(0.3)


def test_half_of_the_concept_component_is_how_near_the_three_nearest_concepts_are() -> None:
    query = Query("relay", VECTOR, concepts=(QueryConcept(1, "relay", 1.0),))
    cosines = {1: 0.9, 2: 0.6, 3: 0.3, 4: 0.2, 5: -0.5}
    assert query.concept_share((1, 2, 3, 4), cosines) == pytest.approx((1 + 0.6) / 2)
    assert query.concept_share((2, 3), cosines) == pytest.approx(0.15)
    assert query.concept_share((5, 99), cosines) == 0


def test_only_synonyms_that_occur_or_are_concepts_count() -> None:
    texts = lexical_ranking(["The automobile is old.", "The car is new.", "A boat."])
    query = Query("car", VECTOR, synonyms={"car": ("automobile", "motorcar", "machine")}, used=frozenset({"machine"}))
    assert query.in_use(texts) == {"car": ("automobile", "machine")}
    assert query.synonym_shares(texts) == [1, 1, 0]
    assert query.expanded_terms(texts) == ["automobile", "machine"]


def test_a_text_with_every_word_but_function_words_has_the_whole_question() -> None:
    texts = lexical_ranking(["The relays bounce.", "A relay.", "What is a relay, and why does it bounce?"])
    assert set(Query("does a relay bounce", VECTOR).wholly_in(texts)) == {0, 2}
    assert not Query("what is it", VECTOR).wholly_in(texts)


def test_a_rare_word_with_synonyms_counts_more_than_a_common_one() -> None:
    texts = lexical_ranking(["The old automobile.", "The old car.", "An old boat.", "An old house."])
    synonyms = {"car": ("automobile",), "old": ("aged",)}
    query = Query("old car", VECTOR, synonyms=synonyms, used=frozenset({"aged"}))
    rare, same, common, _ = query.synonym_shares(texts)
    assert (rare, same) == (1, 1)
    assert 0 < common < 0.25


def test_without_synonyms_in_use_the_component_is_empty() -> None:
    texts = lexical_ranking(["The car is new."])
    query = Query("car", VECTOR, synonyms={"car": ("motorcar",)})
    assert (query.synonym_shares(texts), query.expanded_terms(texts)) == ([0], [])


def test_the_words_of_the_question_are_no_expanded_terms() -> None:
    concepts = (QueryConcept(1, "Relays", 1.0), QueryConcept(2, "coil", 0.4))
    assert Query("the relay", VECTOR, concepts=concepts).expanded_terms(lexical_ranking(["x"])) == ["coil"]


def test_keywords_leave_small_words_out_and_add_the_singular() -> None:
    query = Query("How are the packages built?", VECTOR, used=frozenset({"bundle"}))
    words = query.keywords({}).split()
    assert {"packages", "package", "bundle"} <= set(words)
    assert not {"How", "are", "the"} & set(words)
    assert Query("what is it", VECTOR).keywords({}).split()[:3] == ["what", "is", "it"]


def test_keywords_leave_common_words_out_unless_there_is_nothing_else() -> None:
    query = Query("relays in packages", VECTOR)
    assert set(query.keywords({"packag": 0.5, "package": 0.5}).split()) == {"relays", "relay"}
    assert query.keywords({"relay": 0.2, "packag": 0.5, "package": 0.5}).split()[0] in {"relay", "relays"}
