"""WordNet as shipped: what it holds, how words lead to entries, and that a damaged file is refused."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import toolsets.concept_rag.wordnet
from toolsets.concept_rag.wordnet import WordNet, wordnet
from toolsets.concept_rag.wordnet.lexicon import DIGEST

SHIPPED = Path(toolsets.concept_rag.wordnet.__file__).with_name("wordnet.bin")


def test_the_shipped_file_is_the_one_that_the_chore_builds() -> None:
    content = SHIPPED.read_bytes()
    assert hashlib.sha256(content).hexdigest() == DIGEST
    assert len(content) <= 9_000_000


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("dogs", "dog"),
        ("mice", "mouse"),
        ("Mitochondria", "mitochondrion"),
        ("neural networks", "neural network"),
        ("boxes", "box"),
        ("neural_network", "neural network"),
        ("DNA", "dna"),
    ],
)
def test_any_form_of_a_word_leads_to_its_lemma(form: str, lemma: str) -> None:
    entry = wordnet().lookup(form)
    assert entry is not None
    assert entry.lemma == lemma


def test_inflected_verbs_and_adjectives_lead_to_their_lemmas() -> None:
    assert wordnet().bases("encrypted", "v") == ("encrypt",)
    assert wordnet().bases("happiest", "a") == ("happy",)
    assert wordnet().bases("went", "v") == ("go",)
    assert wordnet().bases("better") == ("better", "good", "well")


def test_synonyms_broader_and_narrower_terms_come_from_the_first_two_senses() -> None:
    entry = wordnet().lookup("algorithm")
    assert entry is not None
    assert entry.part_of_speech == "n"
    assert entry.synonyms == ("algorithmic rule", "algorithmic program")
    assert entry.broader == ("rule",)
    assert entry.narrower == ("sorting algorithm", "stemmer")


def test_what_is_listed_as_a_synonym_has_the_word_among_its_own() -> None:
    """Also where the sense that they share is a rare one of the synonym."""
    for word in ("deadlock", "computer", "automobile", "computer mouse"):
        entry = wordnet().lookup(word, "n")
        assert entry is not None
        assert entry.synonyms
        assert all(word in wordnet().synonyms(synonym, "n") for synonym in entry.synonyms)
    assert wordnet().synonyms("xyzzy", "n") == wordnet().synonyms("quickly", "n") == ()


def test_a_list_has_ten_terms_at_most_most_common_first() -> None:
    entry = wordnet().lookup("animal")
    assert entry is not None
    assert len(entry.narrower) == 10
    assert len(set(entry.narrower)) == 10
    assert "animal" not in entry.synonyms


def test_the_third_sense_is_left_out() -> None:
    """A mouse is a rodent and, in the second sense, a bruise; the shy person and the device come later."""
    entry = wordnet().lookup("mouse", "n")
    assert entry is not None
    assert entry.broader == ("rodent", "bruise")


def test_the_most_common_part_of_speech_counts_unless_one_is_asked_for() -> None:
    common, noun = wordnet().lookup("run"), wordnet().lookup("run", "n")
    assert common is not None
    assert noun is not None
    assert (common.part_of_speech, noun.part_of_speech) == ("v", "n")


def test_individuals_have_their_kind_as_the_broader_term() -> None:
    entry = wordnet().lookup("Einstein")
    assert entry is not None
    assert entry.broader[0] == "physicist"
    assert "Albert Einstein" in entry.synonyms


def test_definitions_tell_the_first_sense_without_examples() -> None:
    assert wordnet().definition("algorithms") == "a precise rule (or set of rules) specifying how to solve some problem"
    assert wordnet().definition("run", "n").startswith("a score in baseball")


def test_an_entry_may_be_that_of_one_sense() -> None:
    *_, shy, device = wordnet().senses("mouse", "n")
    assert "timid" in shy.definition
    assert "computer mouse" in device.synonyms
    entry = wordnet().lookup("mouse", "n", device.definition)
    assert entry is not None
    assert entry.synonyms == ("computer mouse",)
    assert entry.broader == ("electronic device",)
    assert wordnet().lookup("mouse", "n", "no sense of it") == wordnet().lookup("mouse", "n")


@pytest.mark.parametrize("word", ["", " ", "xyzzy", "ſ" * 200, "\ud800", "a\x00b", "zzzzzz", "w" * 1_000_000])
def test_what_is_no_word_has_no_entry(word: str) -> None:
    assert wordnet().lookup(word) is None
    assert wordnet().usage(word) is None
    assert wordnet().bases(word) == ()
    assert wordnet().definition(word) == ""
    assert wordnet().senses(word, "n") == ()


def test_usage_distinguishes_nouns_from_verbs() -> None:
    dog, get = wordnet().usage("dog"), wordnet().usage("get")
    assert dog is not None
    assert get is not None
    assert dog.noun_share > 0.9
    assert get.noun_share < 0.1
    assert get.frequency > dog.frequency


def test_the_first_and_the_last_lemma_are_found() -> None:
    for lemma in ("'hood", "zymurgy", "éclair"):
        assert (wordnet().usage(lemma) is not None) == (lemma != "éclair")


def test_threads_get_the_same_entries() -> None:
    words = ["dog", "mice", "running", "algorithms", "data"] * 40
    lexicon = WordNet(SHIPPED)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lexicon.lookup, words)) == [wordnet().lookup(word) for word in words]


@pytest.mark.parametrize("damage", ["cut", "another", "empty"])
def test_a_file_that_is_not_whole_is_refused(damage: str, tmp_path: Path) -> None:
    content = SHIPPED.read_bytes()
    file = tmp_path / "wordnet.bin"
    file.write_bytes({"cut": content[:-1], "another": b"SQLite format 3" + content, "empty": b""}[damage])
    with pytest.raises(ValueError, match=r"wordnet\.bin"):
        WordNet(file)


def test_the_lemmas_of_a_part_of_speech_are_in_order() -> None:
    verbs = list(wordnet().lemmas("v"))
    assert verbs == sorted(verbs, key=str.encode)
    assert {"restart", "take off"} <= set(verbs)
    assert "server" not in verbs
