"""Phrases of a text that may name concepts."""

import pytest

from toolsets.concept_rag.phrases import phrases_of


def test_phrases_count_whole_inner_and_heading_occurrences() -> None:
    found = phrases_of([("Operational amplifier", True), ("The new operational amplifier input is open.", False)])
    assert found.in_headings["operational amplifier"] == 1
    assert found.counts["operational amplifier input"] == 1.0
    assert found.counts["operational amplifier"] == 1.6
    assert "new operational amplifier" not in found.counts
    assert found.words == 9


def test_phrases_may_end_with_a_gerund_but_are_none_by_itself() -> None:
    found = phrases_of([("We study entity linking and linking.", False)])
    assert "entity linking" in found.counts
    assert "linking" not in found.counts


@pytest.mark.parametrize("text", ["term" * 300_000, "alpha beta " * 50_000, "a-" * 100_000, "x1 " * 100_000])
def test_hostile_texts_keep_the_tables_small(text: str) -> None:
    assert len(phrases_of([(text, False)]).counts) <= 10


def test_of_too_many_phrases_the_frequent_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolsets.concept_rag.phrases.MOST_PHRASES", 100)
    texts = [(f"The steel bridge and the term{number}.", False) for number in range(1_000)]
    found = phrases_of(texts)
    assert len(found.counts) <= 100 + 2
    assert found.counts["steel bridge"] == 1_000.0
    assert found.first.keys() == found.counts.keys() == found.spellings.keys()


@pytest.mark.parametrize(
    ("text", "phrases", "others"),
    [
        (
            "The left ventricle pumps blood.",
            {"left ventricle", "blood"},
            {"ventricle pump", "left ventricle pump blood"},
        ),
        ("The windmill needs oil.", {"windmill", "oil"}, {"windmill need oil", "windmill need"}),
        ("The sinus node sets the rhythm.", {"sinus node", "rhythm"}, {"sinus node set"}),
        ("Coronary arteries feed the muscle.", {"coronary artery", "muscle"}, {"coronary artery feed"}),
        ("A large data set is read from the feed.", {"data set", "feed"}, set[str]()),
        ("Two data sets and a storage pump.", {"data set", "storage pump"}, set[str]()),
        ("Understanding Mortgages", {"mortgage"}, {"understanding mortgage"}),
    ],
)
def test_phrases_end_at_verbs(text: str, phrases: set[str], others: set[str]) -> None:
    found = set(phrases_of([(text, False)]).counts)
    assert phrases <= found
    assert not others & found


@pytest.mark.parametrize(
    ("text", "terms", "others"),
    [
        ("Yeast ferments sugar. Salt slows the yeast.", {"yeast", "sugar"}, {"yeast ferment sugar", "yeast ferment"}),
        ("Colonies need fifteen kilograms of honey.", {"colony", "honey"}, {"colony need", "colony need fifteen kilogram"}),
        ("Glaciers form where snow outlasts the summer.", {"glacier", "snow"}, {"glacier form"}),
        ("The dough rests for an hour.", {"dough", "hour"}, {"dough rest", "rest"}),
        ("If so, the stone in the oven stores heat.", {"oven", "heat"}, {"oven store heat", "oven store"}),
        ("Restoring needs practice: restore a file.", {"file"}, {"restoring need", "restoring need practice"}),
        ("Reading data takes time. It ends by reading data.", {"data"}, {"reading data"}),
        ("Click the button and press Enter.", {"button"}, {"click"}),
    ],
)  # fmt: skip
def test_a_sentence_is_no_phrase(text: str, terms: set[str], others: set[str]) -> None:
    found = set(phrases_of([(text, False)]).counts)
    assert terms <= found
    assert not others & found


@pytest.mark.parametrize(
    ("text", "terms", "others"),
    [
        ("Moraine is the debris that a glacier leaves behind.", {"debris", "glacier"}, {"glacier leaf", "leaf"}),
        ("The bank knows the money that a saver deposits.", {"money", "saver"}, {"saver deposit", "deposit"}),
        ("It waits until each worker thread exits.", {"worker thread"}, {"worker thread exit", "exit"}),
        ("The valve, which controls steam pressure, is shut.", {"valve", "steam pressure"}, {"control steam pressure"}),
        ("It is a hormone that triggers labour pains.", {"hormone", "labour pain"}, {"trigger labour pain", "trigger"}),
        ("We met someone who studies rocks.", {"rock"}, {"study rock", "study"}),
    ],
)
def test_the_verb_of_a_relative_clause_or_of_a_singular_is_no_noun(
    text: str, terms: set[str], others: set[str]
) -> None:
    found = set(phrases_of([(text, False)]).counts)
    assert terms <= found
    assert not others & found


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("There is a room in which records are kept.", {"record"}),
        ("It is so slow that changes take a day.", {"change"}),
        ("We asked for each customer's needs.", {"customer need"}),
        ("They found a fruit yielding vanilla beans.", {"vanilla bean"}),
        ("This is a means of transport, and this physics is new.", {"transport", "physics"}),
        ("We keep spare parts that fit, and glass beads.", {"spare part", "glass bead"}),
    ],
)
def test_a_plural_is_a_noun_where_no_verb_can_be(text: str, terms: set[str]) -> None:
    assert terms <= set(phrases_of([(text, False)]).counts)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Binary packages are built.", "binary package"),
        ("Operating systems differ.", "operating system"),
        ("Glaciers form here. The glacier form is round.", "glacier form"),
        ("The keyboard controls contain a lamp.", "keyboard control"),
    ],
)
def test_a_term_at_the_beginning_of_a_sentence_is_a_phrase(text: str, term: str) -> None:
    assert term in phrases_of([(text, False)]).counts


def test_a_heading_with_a_gerund_is_about_its_object() -> None:
    assert set(phrases_of([("Keeping bees", True), ("A bee has wings.", False)]).counts) == {"bee", "wing"}
    assert "mailing list" in phrases_of([("Mailing lists", True)]).counts


@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_a_contraction_ends_a_phrase_and_is_no_word_of_one(apostrophe: str) -> None:
    text = "You'll log calls, they're remote teams, employment won't work, and a team's plan isn't late. We've O'Reilly books."
    found = phrases_of([(text.replace("'", apostrophe), False)])
    words = {word for key in found.counts for word in key.split()}
    assert not {"ll", "re", "ve", "t", "you", "won", "isn", "they"} & words
    assert {"remote team", "team plan", "o reilly book"} <= found.counts.keys()
