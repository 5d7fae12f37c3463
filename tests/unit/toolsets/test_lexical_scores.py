"""Scores of words, without statistics of a collection."""

import math
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.ports.text import shadow
from toolsets import lexical_scores
from toolsets.lexical_scores import MAX_COUNTED_BYTES, counted_text, lexical_ranking, stem, terms


def scores(query: str, *texts: str) -> list[float]:
    return lexical_ranking(texts).scores(query)


def test_the_text_with_more_of_the_question_scores_more() -> None:
    best, middle, worst = scores("reset router password", "reset the router password", "reset the clock", "green tea")
    assert best > middle > worst == 0


def test_a_text_of_average_length_that_holds_every_word_scores_one() -> None:
    assert scores("reset router", "reset router", "paint fence") == [pytest.approx(1.0), 0.0]


def test_a_single_shared_word_scores_little() -> None:
    """One of four rare words is worth about a quarter, however bad the other candidates are."""
    assert scores("printer jams after firmware", "firmware of a camera", "tea", "milk")[0] < 0.4


def test_a_rare_word_is_worth_more_than_one_that_every_candidate_has() -> None:
    rare, common = scores("update firmware", "firmware tool", "update tool")[:2]
    assert rare == pytest.approx(common)
    rare, common, _ = scores("update firmware", "firmware tool", "update tool", "update table")
    assert rare > common


def test_a_word_in_a_long_text_is_worth_less() -> None:
    short, long = scores("firmware", "firmware update", "firmware " + "word " * 50)
    assert short > long


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("printers", "printer"),
        ("failed", "failing"),
        ("batteries", "battery"),
        ("resetting", "reset"),
        ("updates", "updating"),
        ("crashes", "crash"),
        ("boxes", "box"),
        ("installs", "installed"),
    ],
)
def test_forms_of_a_word_are_one_word(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_names_with_digits_and_short_words_keep_their_form() -> None:
    assert [stem(word) for word in ("kb5034441", "dns", "https", "bus", "this")] == [
        "kb5034441",
        "dns",
        "https",
        "bus",
        "this",
    ]


def test_a_compound_counts_whole_and_in_parts() -> None:
    assert terms("Wi-Fi on C++ v2.1") == ["wi-fi", "wi", "fi", "c++", "v2.1", "v2", "1"]


def test_a_question_of_small_words_still_has_words() -> None:
    assert terms("the who") == ["the", "who"]


_SPACES_AND_MARKS = st.text(
    st.sampled_from("aÅ\u212b\u0301\u0345\u0327ßİ\uac00\u11a8 \u00a0\u2000\u2003\n.,-'"), max_size=60
)


@given(_SPACES_AND_MARKS | st.text(max_size=60))
def test_the_shadow_of_a_text_consists_of_those_of_its_pieces(text: str) -> None:
    """Pieces between spaces may be folded one by one."""
    assert shadow(text).split() == [*map(shadow, text.split())]


def test_composed_and_decomposed_letters_in_any_case_are_the_same_word() -> None:
    assert terms("re\u0301seau RÉSEAU Stra\u00dfe, STRASSE") == [*["réseau"] * 2, *["strass"] * 2]


def test_no_letter_becomes_a_space_when_it_is_folded() -> None:
    characters = (chr(code) for code in range(sys.maxunicode + 1))
    assert [each for each in characters if any(map(str.isspace, shadow(each))) != each.isspace()] == []


def test_nothing_to_rank_or_to_look_for_scores_nothing() -> None:
    assert scores("anything") == []
    assert scores("?!", "a text") == [0.0]
    assert scores("text", "") == [0.0]


@given(st.text(max_size=40), st.lists(st.text(max_size=60), max_size=6))
def test_scores_stay_between_0_and_1(query: str, texts: list[str]) -> None:
    found = scores(query, *texts)
    assert len(found) == len(texts)
    assert all(0 <= score <= 1 for score in found)


def _by_the_formula(query: str, texts: Sequence[str]) -> list[float]:
    """BM25 over the candidates as it is written, word by word: k1 1.2, b .75."""
    words = [terms(text) for text in texts]
    average = sum(map(len, words)) / max(1, len(words))

    def rarity(word: str) -> float:
        holders = sum(word in each for each in words)
        return math.log(1 + (len(words) - holders + 0.5) / (holders + 0.5))

    wanted = set(terms(query))
    best = sum(map(rarity, wanted))

    def score(each: Sequence[str]) -> float:
        length = 0.25 + 0.75 * len(each) / average if average else 1.0
        return sum(rarity(w) * each.count(w) * 2.2 / (each.count(w) + 1.2 * length) for w in wanted if w in each)

    return [min(1.0, score(each) / best) if best > 0 else 0.0 for each in words]


_WORDS = st.lists(st.sampled_from("relay coil contact the switches re-used c++ bounce".split()), max_size=12).map(
    " ".join
)


@given(_WORDS, st.lists(_WORDS, max_size=6))
def test_scores_are_those_of_the_formula(query: str, texts: list[str]) -> None:
    """Texts are counted once and words are gone through by their holders; neither may change a score."""
    expected = _by_the_formula(query, texts)
    for _ in range(2):
        assert scores(query, *texts) == pytest.approx(expected, rel=1e-12)


def test_counted_texts_are_remembered_within_a_bound() -> None:
    text = "a relay has a coil, and the relay clicks"
    counted = counted_text(text)
    assert counted_text(text) is counted
    assert counted.counts["relay"] == 2
    assert counted.length == len(terms(text))
    huge = "coil" + " " * MAX_COUNTED_BYTES
    assert counted_text(huge) is not counted_text(huge)


def test_a_sample_gives_the_rarity_of_words_and_the_average_length() -> None:
    sample = lexical_ranking(["relay coil", "relay", "relay contacts", "fuse"])
    alone = lexical_ranking(["the relay", "a fuse"], sample).scores("relay fuse")
    among = lexical_ranking(["the relay", "a fuse", "relay fuse coil contacts"], sample).scores("relay fuse")
    assert alone == among[:2]
    assert alone[0] < alone[1]
    assert lexical_ranking(["relay"], lexical_ranking(())).scores("relay") == lexical_ranking(["relay"]).scores("relay")


def test_a_ranking_keeps_only_words_that_its_texts_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ranking of samples serves questions for minutes, and each of them may have hundreds of words that no text has."""
    monkeypatch.setattr(lexical_scores, "_MAX_HELD", 2)
    ranking = lexical_ranking(["the relay clicks", "the coil hums"])
    assert ranking.holding("relay") is ranking.holding("relay")
    assert ranking.holding("unknown") is not ranking.holding("unknown")
    assert (ranking.holding("coil"), ranking.holding("hum")) == ([1], [1])
    assert ranking.holding("hum") is not ranking.holding("hum"), "the third word is beyond the bound"
