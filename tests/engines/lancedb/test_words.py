"""Words are split the same way in every script, without language rules."""

from pathlib import Path

import pytest

from backends.engines.lancedb.words import MAX_WORD_POINTS, MAX_WORDS, indexed_words, query_words, words
from backends.ports.text import MAX_INDEXED_BYTES
from contracts.ports.vector_records import NAME, fill, record
from tests.engines.lancedb.tables import opened


@pytest.mark.parametrize(
    ("stored", "found", "missed"),
    [
        ("the running of the bulls", "THE", "run"),
        ("Straße nach Köln", "strasse koln", "str"),
        ("user_9 logged in", "user", "use"),
        ("version 7 of abc7", "abc7", "abc"),
        ("हिन्दी में लिखा", "हिन्दी", "हिन"),
        ("日本語 テキスト", "日本語", "語"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", "σίσ"),
        ("don't stop", "don't", "do"),
        ("x" * 5_000, "x" * 5_000, "x" * 100),
        ("thumbs 👍🏽 up", "up 👍🏽", "👍🏽"),
    ],
)
async def test_a_word_is_found_whole(tmp_path: Path, stored: str, found: str, missed: str) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("r", None, stored), record("other", None, "something else"))
        assert [hit.id for hit in await vectors.keyword(NAME, found, 5)] == ["r"]
        assert list(await vectors.keyword(NAME, missed, 5)) == []


def test_words_are_numbered_and_long_ones_cut() -> None:
    assert words("It's ONE, two_three\t4") == ["it", "s", "one", "two", "three", "4"]
    assert words("x" * (MAX_WORD_POINTS + 5)) == ["x" * MAX_WORD_POINTS]
    assert words("?! ...") == []


def test_a_word_is_asked_for_once_and_not_too_many() -> None:
    assert query_words("b a B b") == ["b", "a"]
    assert len(query_words(" ".join(f"w{number}" for number in range(MAX_WORDS + 5)))) == MAX_WORDS


def test_a_text_that_is_too_long_is_not_indexed() -> None:
    """Its length is that of its bytes."""
    assert indexed_words("é" * (MAX_INDEXED_BYTES // 2)) is not None
    assert indexed_words("é" * (MAX_INDEXED_BYTES // 2 + 1)) is None
