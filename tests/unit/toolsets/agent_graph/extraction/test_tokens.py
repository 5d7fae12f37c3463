"""A text is cut into sentences of words and marks."""

import pytest

from tests.unit.toolsets.agent_graph.extraction.results import facts, names
from toolsets.agent_graph.extraction.tokens import MAX_SENTENCE, TOKEN, sentences


def test_a_sentence_without_an_end_is_read_in_pieces() -> None:
    lengths = [len(tokens) for tokens in sentences("word " * (2 * MAX_SENTENCE + 1))]
    assert lengths == [MAX_SENTENCE, MAX_SENTENCE, 1]


@pytest.mark.parametrize("blanks", [" " * 10_000, " \t\n" * 4_000])
def test_a_long_gap_is_skipped_as_one(blanks: str) -> None:
    """A search that finds nothing at a blank goes on at the next one, all in one call that no other thread interrupts."""
    found = TOKEN.match(blanks)
    assert found is not None
    assert found.end() == len(blanks)
    assert [token.word.text for sentence in sentences(f"Alice{blanks}Bob") for token in sentence] == ["Alice", "Bob"]


def test_headings_and_lines_of_lists_are_sentences_of_their_own() -> None:
    assert [name for name, _ in names("DejaVu Sans\nDejaVu Serif\nZub Mono\n")] == [
        "DejaVu Sans",
        "DejaVu Serif",
        "Zub Mono",
    ]
    assert facts("Sarah Chen is\nthe author of Git.") == [("Sarah Chen", "CREATED", "Git")]
    assert facts("LibreTLS is a port of libtls. zlib is used by GitLab.")[-1] == ("GitLab", "USES", "zlib")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_lines_and_headings_end_a_sentence_with_any_line_end(end: str) -> None:
    text = end.join(("Reviewed by Maria Lopez", "", "Peter Novak joined Stripe.", "", "DejaVu Sans", "Zub Mono", ""))
    assert cut(text) == [
        ["Reviewed", "by", "Maria", "Lopez"],
        ["Peter", "Novak", "joined", "Stripe", "."],
        ["DejaVu", "Sans"],
        ["Zub", "Mono"],
    ]


def cut(text: str) -> list[list[str]]:
    return [[token.word.text for token in sentence] for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C++ and C# run on .NET.", ["C++", "and", "C#", "run", "on", ".NET", "."]),
        ("See https://a.example/b?c, then", ["See", "https://a.example/b?c,", "then"]),
        ("Google's TensorFlow", ["Google", "'s", "TensorFlow"]),
        ("a Debian-based GD::Pie", ["a", "Debian", "-based", "GD::Pie"]),
        ("the file /etc/hosts, #12", ["the", "file", "/etc/hosts", ",", "#12"]),
    ],
)
def test_words_keep_the_signs_that_belong_to_them(text: str, words: list[str]) -> None:
    assert cut(text) == [words]


def test_tokens_are_at_their_places_in_the_text() -> None:
    text = "Redis  runs. It is\nfast!"
    found = [token for sentence in sentences(text) for token in sentence]
    assert [text[token.start : token.end] for token in found] == [token.word.text for token in found]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It runs. It stops.", 2),
        ("Dr. Smith runs it.", 1),
        ("It is fast, e.g. in Redis.", 1),
        ('He said: "It runs." She left.', 2),
        ("First line\n\nsecond line", 2),
        ("- one\n- two", 2),
        ("", 0),
        (" \n\n ", 0),
    ],
)
def test_sentences_end_at_stops_and_breaks_of_the_layout(text: str, count: int) -> None:
    assert len(cut(text)) == count
