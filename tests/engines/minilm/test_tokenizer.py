"""The tokenizer splits text as BERT's uncased models expect."""

import tracemalloc
from pathlib import Path

import pytest

import backends.engines.minilm
from backends.engines.minilm.tokenizer import MAX_TOKENS, WordPiece

START, END, UNKNOWN = 101, 102, 100


@pytest.fixture(scope="module")
def vocabulary() -> Path:
    return Path(backends.engines.minilm.__file__).parent / "vocab.txt"


@pytest.fixture(scope="module")
def tokenizer(vocabulary: Path) -> WordPiece:
    return WordPiece(vocabulary)


@pytest.fixture(scope="module")
def pieces(vocabulary: Path) -> list[str]:
    return vocabulary.read_text(encoding="utf-8").split("\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("embeddings", ["em", "##bed", "##ding", "##s"]),
        ("C++/C#", ["c", "+", "+", "/", "c", "#"]),
        ("Ünïcödé café", ["unicode", "cafe"]),
        ("cafe\u0301", ["cafe"]),
        ("东京 x", ["[UNK]", "京", "x"]),
        ("tab\tand\x07bell", ["tab", "and", "##bell"]),
        ("test—dash", ["test", "—", "dash"]),
    ],
)
def test_a_text_is_split_into_the_pieces_of_the_vocabulary(
    tokenizer: WordPiece, pieces: list[str], text: str, expected: list[str]
) -> None:
    ids = tokenizer.encode(text)
    assert ids[0] == START
    assert ids[-1] == END
    assert [pieces[number] for number in ids[1:-1]] == expected


def test_a_text_without_words_is_only_its_marks(tokenizer: WordPiece) -> None:
    assert tokenizer.encode(" \t\u200b") == [START, END]


def test_a_word_over_a_hundred_letters_is_unknown(tokenizer: WordPiece) -> None:
    assert tokenizer.encode("a" * 101) == [START, UNKNOWN, END]


def test_a_long_text_is_cut_to_the_limit_of_the_model(tokenizer: WordPiece) -> None:
    ids = tokenizer.encode("word " * 1_000)
    assert len(ids) == MAX_TOKENS
    assert ids[-1] == END


def test_long_words_are_not_cached(tokenizer: WordPiece) -> None:
    tracemalloc.start()
    for number in range(5):
        tokenizer.encode(f"{number}" + "a" * 500_000)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 500_000


def test_the_cache_of_words_is_bounded_in_bytes(vocabulary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backends.engines.minilm.tokenizer.MAX_CACHE_BYTES", 20_000)
    tokenizer = WordPiece(vocabulary)
    expected = tokenizer.encode("embeddings")
    tracemalloc.start()
    for number in range(3_000):
        tokenizer.encode(f"word{number}")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 10_000 < held < 100_000, "without the bound these words take 900 kB"
    assert tokenizer.encode("embeddings") == expected
