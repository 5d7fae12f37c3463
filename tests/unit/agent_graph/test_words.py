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
        ("認証を実装する", ("認証", "実装")),
        ("实现用户模块", ("实现", "现用", "用户", "户模", "模块")),
        ("인증을 구현", ("인증", "증을", "구현")),
        ("データベースのRedisを使う", ("データベース", "Redis")),
        ("Go認証", ("Go", "認証")),
    ],
)
def test_common_words_are_left_out_and_short_ones_that_are_no_names(task: str, words: tuple[str, ...]) -> None:
    assert words_of(task) == words


def test_no_more_than_twenty_words_are_looked_up() -> None:
    assert words_of(" ".join(f"word{number}" for number in range(30))) == tuple(f"word{n}" for n in range(MAX_WORDS))
