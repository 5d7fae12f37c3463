"""Sentences end where a reader would end them, pieces fit, and no text takes more than linear time."""

import pytest

from toolsets.concept_rag.sentences import lines, pieces, sentences
from toolsets.concept_rag.tokens import estimate_tokens


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. J. R. Smith wrote it",
        "It costs 3.14 dollars, e.g. in the shop",
        "See Fig. 3 and pp. 12-14, i.e. the plots",
        "The U.S. Army paid for it",
        "1. Open the lid",
        "It was No. 5 of vol. 2",
        "He met Mrs. Dalloway",
        "They asked approx. 40 people",
        "version 2.0.1 of the parser",
        "the file a.txt is read",
        "and so on... and on",
    ],
)
def test_a_full_stop_inside_ends_no_sentence(text: str) -> None:
    assert cut(f"{text}. Then we left.") == [f"{text}.", "Then we left."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is it? Yes! Good.", ["Is it?", "Yes!", "Good."]),
        ('"Come in." He came.', ['"Come in."', "He came."]),
        ("It works (see above.) Good.", ["It works (see above.)", "Good."]),
        ("We live in the U.S. The rest do not.", ["We live in the U.S.", "The rest do not."]),
        ("So did I. And you?", ["So did I.", "And you?"]),
        ("これは文です。次の文です！はい", ["これは文です。", "次の文です！", "はい"]),
        ("A line\n\nAnother one", ["A line", "Another one"]),
        ("  spaces around  ", ["spaces around"]),
        ("one line\nthe same sentence", ["one line\nthe same sentence"]),
        ("", []),
        (" \n ", []),
        ("...", ["..."]),
    ],
)
def test_sentences_end_at_marks_and_empty_lines(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_lines_have_neither_indentation_nor_empty_ones() -> None:
    text = "def f():\n    return 1  \n\n\nprint(f())\n"
    assert [text[start:end] for start, end in lines(text, 0, len(text))] == ["def f():", "return 1", "print(f())"]


@pytest.mark.parametrize("text", ["word " * 3_000, "x" * 20_000, "a, b; " * 2_000, "," * 5_000, "漢字" * 2_000])
def test_pieces_fit_and_lose_nothing(text: str) -> None:
    found = [text[start:end] for start, end in pieces(text, (0, len(text.rstrip())), 220, estimate_tokens)]
    assert max(map(estimate_tokens, found)) <= 220
    assert "".join("".join(found).split()) == "".join(text.split())


def test_pieces_are_cut_behind_words_and_well_filled() -> None:
    text = "several ordinary words of a sentence that does not end " * 100
    found = [text[start:end] for start, end in pieces(text, (0, len(text) - 1), 220, estimate_tokens)]
    assert all(piece.split()[-1] in text.split() for piece in found)
    assert all(estimate_tokens(piece) > 100 for piece in found[:-1])


@pytest.mark.parametrize(
    "text",
    ["." * 300_000, "\n" * 300_000, "\n " * 150_000, ". " * 50_000, "." + ")" * 300_000, "a" * 300_000, " " * 300_000],
    ids=["stops", "newlines", "short lines", "spaced stops", "brackets", "one word", "spaces"],
)
def test_hostile_texts_are_cut_in_linear_time(text: str) -> None:
    """A quadratic step would take minutes here."""
    spans = [*sentences(text, 0, len(text))]
    assert all(start < end for start, end in spans)
    assert "".join(text[start:end] for start, end in spans).count(".") == text.count(".")
