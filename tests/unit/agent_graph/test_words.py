"""Which words of a task are looked up."""

import pytest

from toolsets.agent_graph.phases import MAX_WORDS, words_of


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("Rewrite the parser in Go", ("Rewrite", "parser", "Go")),
        ("Use C# or an IDE", ("C#", "IDE")),
        ("go to it", ()),
        ("Docker, docker and DOCKER", ("Docker",)),
        ("", ()),
    ],
)
def test_common_words_are_left_out_and_short_ones_that_are_no_names(task: str, words: tuple[str, ...]) -> None:
    assert words_of(task) == words


def test_no_more_than_twenty_words_are_looked_up() -> None:
    assert words_of(" ".join(f"word{number}" for number in range(30))) == tuple(f"word{n}" for n in range(MAX_WORDS))
