"""A noun means what the words around it say."""

from collections import Counter

import pytest

from toolsets.concept_rag.names import words_of
from toolsets.concept_rag.senses import definition_in
from toolsets.concept_rag.wordnet import wordnet

COMPUTERS = """A client asks the server for files over the network; the computer that shares resources and printers is the server.
The program, a sequence of instructions for the computer, has a bug, a defect in the system, until a patch corrects it."""
STATISTICS = """The regression gives the relation between observed values of two variables, from which the most probable value
can be predicted; its statistics assume a normal distribution of the values."""
GARDEN = """An insect crawls over a patch of vegetation in the garden. The bug is a small creeping animal with wings."""


def used_in(text: str, noun: str) -> str:
    return definition_in(noun, Counter(words_of(text)))


@pytest.mark.parametrize(
    ("noun", "text", "beginning"),
    [
        ("server", COMPUTERS, "(computer science) a computer that provides client stations"),
        ("servers", COMPUTERS, "(computer science) a computer that provides client stations"),
        ("bug", COMPUTERS, "a fault or defect in a computer program"),
        ("bug", GARDEN, "general term for any insect"),
        ("patch", COMPUTERS, "a short set of commands to correct a bug"),
        ("patch", GARDEN, "a small area of ground covered by specific vegetation"),
        ("regression", STATISTICS, "the relation between selected values of x and observed values of y"),
    ],
)
def test_a_noun_has_the_sense_that_its_document_uses(noun: str, text: str, beginning: str) -> None:
    assert used_in(text, noun).startswith(beginning)


@pytest.mark.parametrize("text", ["", "The server is here.", "The server brings a computer."])
def test_without_two_words_of_a_sense_the_most_common_one_is_meant(text: str) -> None:
    assert used_in(text, "server") == wordnet().definition("server", "n")


def test_a_noun_with_one_sense_has_that_one_and_an_unknown_one_none() -> None:
    assert used_in(GARDEN, "algorithm") == wordnet().definition("algorithm", "n")
    assert used_in(COMPUTERS, "xyzzy") == used_in(COMPUTERS, "") == ""
