"""The names of a sentence, and what the words around them are."""

from itertools import pairwise

import pytest

from toolsets.agent_graph.extraction.sentence import ParsedSentence, Reference, Referent
from toolsets.agent_graph.extraction.tokens import sentences


def read(text: str) -> ParsedSentence:
    [tokens] = sentences(text)
    return ParsedSentence(text, tokens)


def test_a_name_is_written_with_single_spaces() -> None:
    sentence = read("Alice  Baker\nuses C++.")
    assert len(sentence) == 5
    assert (sentence.name(0, 2), sentence.name(3, 4)) == ("Alice Baker", "C++")


def test_the_longest_listed_name_is_known_where_it_begins() -> None:
    known = read("It runs on Visual Studio Code today.").known
    assert len(known[3].words) == 3


def test_a_place_outside_the_sentence_has_no_features_of_a_word() -> None:
    sentence = read("Redis runs.")
    assert not sentence.is_a(-1, "<verb>", "[capital]")
    assert not sentence.is_a(len(sentence), "<verb>", "[capital]")


def test_of_mentions_that_overlap_the_first_stays_unless_it_is_less_sure() -> None:
    sentence = read("Alice Baker uses Redis.")
    whole, part = sentence.mention(0, 2, "person", 0.6), sentence.mention(1, 2, "person", 0.9)
    sentence.enter([whole, part])
    assert sentence.mentions() == [whole]
    assert sentence.is_a(1, "{name}")
    sentence.enter([part], over=0.6)
    assert sentence.mentions() == [part]
    assert not sentence.is_a(0, "{name}"), "the word is free again"


@pytest.mark.parametrize(
    ("text", "place", "behind"), [("Redis (a store) runs", 1, 5), ("Redis (a store runs", 1, 1), ("Redis runs", 1, 1)]
)
def test_a_parenthesis_is_passed_if_it_has_an_end(text: str, place: int, behind: int) -> None:
    assert read(text).past_aside(place) == behind


def test_words_are_passed_in_both_directions() -> None:
    sentence = read("the the Redis the the")
    assert (sentence.past(0, 1, "<article>"), sentence.past(4, -1, "<article>"), sentence.past(2, 1, "<article>")) == (
        2,
        2,
        2,
    )


def test_a_referent_is_the_last_one_that_it_turned_out_to_be() -> None:
    chain = [Referent(f"name {n}", "concept", 0.5) for n in range(5)]
    for earlier, later in pairwise(chain):
        earlier.same_as = later
    assert chain[0].final() is chain[-1]
    assert chain[-1].final() is chain[-1]


def test_items_of_a_list_are_found_from_both_ends() -> None:
    sentence = read("GitLab uses Redis, Kafka and Docker.")
    found = [
        Reference(place, place + 1, Referent(sentence.name(place, place + 1), "technology", 0.9)) for place in (2, 4, 6)
    ]
    sentence.refer({reference.first: reference for reference in found})
    assert sentence.list_after(found[0]) == found
    assert sentence.list_before(found[2]) == found
    assert sentence.list_after(found[2]) == [found[2]]
