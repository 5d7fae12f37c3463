"""WordPiece tokenization as in BERT's uncased models: text in, token ids out."""

import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from backends.kit.byte_cache import ByteCache
from backends.ports.text import normalized

MAX_TOKENS = 256
"""The `max_seq_length` of the published model; what follows does not influence a vector."""

_UNKNOWN, _START, _END = 100, 101, 102
"""The places of [UNK], [CLS] and [SEP] in BERT's uncased vocabulary."""
_PIECES = 30_522
"""The size of BERT's uncased vocabulary."""
_MAX_WORD = 100
"""As in BERT's tokenizer, for which a longer word is unknown."""
MAX_CACHE_BYTES = 8 * 2**20
"""Enough for about 35,000 words of ordinary length, more than most collections of texts have."""
_ENTRY_BYTES = 200
"""An entry's share of the cache's own memory."""
_ASCII_WORDS = re.compile(r"[!-/:-@\[-`{-~]|[^\s!-/:-@\[-`{-~]+")
_ASCII_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """A vocabulary, and the greedy longest-match split of words into its pieces."""

    def __init__(self, vocabulary: Path) -> None:
        """Read the vocabulary. Raises `OSError`, and `ValueError` if it does not fit BERT's uncased models."""
        with vocabulary.open(encoding="utf-8") as lines:
            self._ids = {line.rstrip("\n"): number for number, line in enumerate(lines)}
        # With other ids the network would still return vectors, but meaningless ones.
        if len(self._ids) != _PIECES:
            raise ValueError(f"vocab.txt must have {_PIECES:,} different lines, not {len(self._ids):,}")
        for mark, number in (("[UNK]", _UNKNOWN), ("[CLS]", _START), ("[SEP]", _END)):
            if self._ids.get(mark) != number:
                raise ValueError(f"vocab.txt must have {mark} in line {number + 1}")
        self._pieces = ByteCache[str, tuple[int, ...]](MAX_CACHE_BYTES, _entry_bytes)

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text` between the start and end marks, at most 256 in all; the rest is dropped."""
        ids = [_START]
        for word in _words(text):
            ids.extend(self._split(word))
            if len(ids) >= MAX_TOKENS:
                break
        return [*ids[: MAX_TOKENS - 1], _END]

    def _split(self, word: str) -> tuple[int, ...]:
        # A word of any length may come with a text, and would stay in the cache.
        if len(word) > _MAX_WORD:
            return (_UNKNOWN,)
        known = self._pieces.get(word)
        if known is None:
            known = self._longest_matches(word)
            self._pieces.put(word, known)
        return known

    def _longest_matches(self, word: str) -> tuple[int, ...]:
        pieces: list[int] = []
        start = 0
        while start < len(word):
            end = len(word)
            mark = "##" if start else ""
            while (piece := self._ids.get(mark + word[start:end])) is None:
                end -= 1
                if end == start:
                    return (_UNKNOWN,)
            pieces.append(piece)
            start = end
        return tuple(pieces)


def _entry_bytes(word: str, pieces: tuple[int, ...]) -> int:
    return sys.getsizeof(word) + sys.getsizeof(pieces) + _ENTRY_BYTES


def _words(text: str) -> Iterator[str]:
    if text.isascii():
        for match in _ASCII_WORDS.finditer(_ASCII_CONTROLS.sub("", text).lower()):
            yield match.group()
        return
    cleaned = "".join(map(_clean, text))
    for word in cleaned.split():
        yield from _around_punctuation(_without_accents(word))


def _clean(character: str) -> str:
    """Drop control characters, turn white space into a space and put spaces around ideographs."""
    if character in "\t\n\r" or unicodedata.category(character) == "Zs":
        return " "
    if character in "\x00\ufffd" or unicodedata.category(character)[0] == "C":
        return ""
    point = ord(character)
    if any(low <= point <= high for low, high in _IDEOGRAPHS):
        return f" {character} "
    return character


def _without_accents(word: str) -> str:
    decomposed = normalized(word.lower(), "NFD")
    return "".join(character for character in decomposed if unicodedata.category(character) != "Mn")


def _around_punctuation(word: str) -> Iterator[str]:
    start = 0
    for place, character in enumerate(word):
        if _is_punctuation(character):
            if start < place:
                yield word[start:place]
            yield character
            start = place + 1
    if start < len(word):
        yield word[start:]


def _is_punctuation(character: str) -> bool:
    point = ord(character)
    in_ascii = 33 <= point <= 47 or 58 <= point <= 64 or 91 <= point <= 96 or 123 <= point <= 126
    return in_ascii or unicodedata.category(character)[0] == "P"
