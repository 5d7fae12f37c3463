"""Looks up words in wordnet.bin: base forms, synonyms, broader and narrower terms, and usage."""

import hashlib
import json
import mmap
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypedDict, cast

from toolsets.concept_rag.wordnet.layout import GLOSS_BLOCK, MAGIC, PARTS, WIDTH

PartOfSpeech: TypeAlias = Literal["n", "v", "a", "r"]

MAX_TERMS: Final = 10
"""The most synonyms, broader terms and narrower terms of an entry, each."""
MAX_SENSES: Final = 2
"""The most senses of an entry. Rarer senses mislead: the third sense of "server" is a waiter, of "mouse" a bruise."""
_MAX_WORD: Final = 100
"""Bytes; the longest lemma has 71."""
_MASK: Final = (1 << 8 * WIDTH) - 1
_STEP: Final = 64
"""One lemma in this many is kept in memory, 200 kB in all, as the start of a search."""
_CACHED: Final = 20_000
"""The most cached entries, usages, places and bases, about 15 MB: the vocabulary of a long book."""
_PARTS: Final[tuple[PartOfSpeech, ...]] = ("n", "v", "a", "r")
_ENDINGS: Final[Mapping[PartOfSpeech, Mapping[str, tuple[tuple[str, str], ...]]]] = {
    "n": {
        "s": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("ies", "y")),
        "n": (("men", "man"),),
    },
    "v": {
        "s": (("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
        "d": (("ed", "e"), ("ed", "")),
        "g": (("ing", "e"), ("ing", "")),
    },
    "a": {"r": (("er", ""), ("er", "e")), "t": (("est", ""), ("est", "e"))},
    "r": {},
}
"""The regular endings by their last letter, each with what replaces it in the base."""


class _Header(TypedDict):
    sections: dict[str, tuple[int, int]]
    lemmas: int
    synsets: list[int]


SHIPPED: Final = Path(__file__).with_name("wordnet.bin")
DIGEST: Final = "aeb4649db5b0490cb1e09ef1b3cf1fda16f299813c9356b8fe19f78430da4626"
"""The SHA-256 of the shipped file."""


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """A word in WordNet, in one sense or its first two; each list has the most common first, without duplicates."""

    lemma: str
    part_of_speech: PartOfSpeech
    """The part of speech of the first sense."""
    synonyms: tuple[str, ...]
    broader: tuple[str, ...]
    """Hypernyms; for an individual, the classes of which it is an instance."""
    narrower: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sense:
    """One of the meanings of a word."""

    definition: str
    """A phrase without a full stop."""
    synonyms: tuple[str, ...]
    """All forms with the sense, including the word itself."""
    around: tuple[str, ...]
    """Definitions and forms of the broader senses, and the forms of ten narrower ones."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a lemma in WordNet's tagged texts."""

    parts: frozenset[PartOfSpeech]
    noun_share: float
    """The share of noun senses, 0 to 1; smoothed, so that 1 means that the lemma has no other senses."""
    frequency: int
    """The binary logarithm of its count, 0 to 15; 0 for most lemmas."""


class _Lists:
    """A section of lists, read in place."""

    def __init__(self, data: mmap.mmap, starts: int, items: int) -> None:
        self._data = data
        self._starts = starts
        self._items = items

    def text(self, place: int) -> bytes:
        first, end = self._bounds(place)
        return self._data[self._items + first : self._items + end]

    def find(self, wanted: bytes, low: int, high: int) -> int | None:
        """Return the place of a text between two places, excluding `high`; None if it is not there. `low` is less than `high`."""
        first, end = self._bounds(low)[0], self._bounds(high - 1)[1]
        texts, starts = self._data[self._items + first : self._items + end], b""
        at = texts.find(wanted)
        while at >= 0:
            # It may also be a part of other texts: only an item has its start and its end in the table.
            starts = starts or self._data[self._starts + WIDTH * low : self._starts + WIDTH * (high + 1)]
            both = (first + at) | (first + at + len(wanted)) << 8 * WIDTH
            edges = both.to_bytes(2 * WIDTH, "little")
            place = starts.find(edges)
            while place > 0 and place % WIDTH:
                place = starts.find(edges, place + 1)
            if place >= 0:
                return low + place // WIDTH
            at = texts.find(wanted, at + 1)
        return None

    def numbers(self, place: int) -> list[int]:
        first, end = self._bounds(place)
        items = self._data[self._items + WIDTH * first : self._items + WIDTH * end]
        return [int.from_bytes(items[each : each + WIDTH], "little") for each in range(0, len(items), WIDTH)]

    def _bounds(self, place: int) -> tuple[int, int]:
        at = self._starts + WIDTH * place
        both = int.from_bytes(self._data[at : at + 2 * WIDTH], "little")
        return both & _MASK, both >> 8 * WIDTH


class WordNet:
    """A wordnet.bin, mapped into memory: pages are read on demand and shared by all processes.

    Thread-safe. A lookup takes about ten microseconds, and less than one for a cached word.
    """

    def __init__(self, path: Path, *, digest: str | None = None) -> None:
        """Open the file. Raises `OSError` if it cannot be read, and `ValueError` if it is incomplete or of another version.

        With its SHA-256 as `digest`, every other content is refused: most changed bytes would only give other words.
        """
        with path.open("rb") as file:
            if digest is not None and (found := hashlib.file_digest(file, "sha256").hexdigest()) != digest:
                raise ValueError(f"{path} has been changed: its SHA-256 is {found}, not {digest}; reinstall Entrepot")
            file.seek(0)
            start = file.read(len(MAGIC) + 4)
            if len(start) < len(MAGIC) + 4 or not start.startswith(MAGIC):
                raise ValueError(f"{path} is not a WordNet file of this version")
            length = int.from_bytes(start[len(MAGIC) :], "little")
            self._header = cast("_Header", json.loads(file.read(length)))
            self._body = len(start) + length
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        end = max(offset + size for offset, size in self._header["sections"].values())
        if len(self._data) != self._body + end:
            raise ValueError(f"{path} has {len(self._data)} bytes instead of {self._body + end}")
        self._lemmas = self._header["lemmas"]
        self._forms, self._senses, self._members, self._broader, self._narrower, self._glosses = map(
            self._lists, ("forms", "senses", "members", "broader", "narrower", "glosses")
        )
        self._usage = self._section("usage")[0]
        self._entry = lru_cache(_CACHED)(self._find_entry)
        self._known_usage = lru_cache(_CACHED)(self._find_usage)
        # The inflections of a word, and its uses as each part of speech, lead to the same lemmas.
        self._place = lru_cache(_CACHED)(self._find_place)
        self._known_bases = lru_cache(_CACHED)(self._find_bases)
        self._parts = lru_cache(_CACHED)(self._find_parts)

    def _section(self, name: str) -> tuple[int, int]:
        offset, size = self._header["sections"][name]
        return self._body + offset, size

    def _lists(self, name: str) -> _Lists:
        return _Lists(self._data, self._section(f"{name}.starts")[0], self._section(f"{name}.items")[0])

    def lookup(self, word: str, part: PartOfSpeech | None = None, definition: str = "") -> LexiconEntry | None:
        """Return the entry of a word or phrase in any inflection and letter case, or None.

        Without `part`, the most common senses of any part of speech are used; with the `definition` of one of its senses,
        only that sense.
        """
        return self._entry(word, part, definition) if len(word) <= _MAX_WORD else None

    def senses(self, word: str, part: PartOfSpeech) -> tuple[Sense, ...]:
        """Return the senses of a word or phrase, most common first; empty if it is unknown."""
        place = next(self._places(word, part), None) if len(word) <= _MAX_WORD else None
        if place is None:
            return ()
        found: list[Sense] = []
        for synset in self._of_part(place, part):
            broader, narrower = self._broader.numbers(synset), self._narrower.numbers(synset)[:MAX_TERMS]
            around = [self._gloss(each) for each in broader]
            around += [self._form(form) for each in (*broader, *narrower) for form in self._members.numbers(each)]
            synonyms = tuple(map(self._form, self._members.numbers(synset)))
            found.append(Sense(self._gloss(synset), synonyms, tuple(around)))
        return tuple(found)

    def synonyms(self, word: str, part: PartOfSpeech) -> tuple[str, ...]:
        """Return at most ten synonyms of a word or phrase in any of its senses, most common first.

        Unlike `lookup` this includes rare senses, so that the synonyms of an entry's synonym include the entry's lemma.
        """
        place = next(self._places(word, part), None) if len(word) <= _MAX_WORD else None
        if place is None:
            return ()
        senses = self._of_part(place, part)
        return self._terms((form for sense in senses for form in self._members.numbers(sense)), self._form(place))

    def usage(self, lemma: str) -> Usage | None:
        """Return the usage of a lower-case lemma; None if `lemma` is not one."""
        return self._known_usage(lemma) if len(lemma) <= _MAX_WORD else None

    def lemmas(self, part: PartOfSpeech) -> Iterator[str]:
        """Yield the lemmas that have a sense as this part of speech, in the order of their bytes."""
        return (self._form(place) for place in range(self._lemmas) if self._has(place, part))

    def _find_entry(self, word: str, part: PartOfSpeech | None, definition: str) -> LexiconEntry | None:
        place = next(self._places(word, part), None)
        if place is None:
            return None
        all_senses = self._of_part(place, part)
        defined = [synset for synset in all_senses if self._gloss(synset) == definition] if definition else []
        senses = defined[:1] or all_senses[:MAX_SENSES]
        lemma = self._form(place)
        return LexiconEntry(
            lemma,
            self._part(senses[0]),
            self._terms((form for sense in senses for form in self._members.numbers(sense)), lemma),
            self._terms(
                self._heads(sense_near for sense in senses for sense_near in self._broader.numbers(sense)), lemma
            ),
            self._terms(
                self._heads(sense_near for sense in senses for sense_near in self._narrower.numbers(sense)), lemma
            ),
        )

    def _find_usage(self, lemma: str) -> Usage | None:
        place = self._place(lemma)
        if place is None:
            return None
        code = self._data[self._usage + place]
        return Usage(self._parts(place), (code >> 4) / 15, code & 15)

    def _find_parts(self, place: int) -> frozenset[PartOfSpeech]:
        return frozenset[PartOfSpeech](map(self._part, self._senses.numbers(place)))

    def definition(self, word: str, part: PartOfSpeech | None = None) -> str:
        """Return the definition of the first sense of a word or phrase, without a full stop; "" if it is unknown."""
        return next(
            (self._gloss(each) for place in self._places(word, part) for each in self._of_part(place, part)), ""
        )

    def _gloss(self, synset: int) -> str:
        block, line = divmod(synset, GLOSS_BLOCK)
        return zlib.decompress(self._glosses.text(block)).decode().split("\n")[line]

    def _of_part(self, place: int, part: PartOfSpeech | None) -> list[int]:
        """Return the synsets of a lemma with this part of speech, most common first."""
        return [synset for synset in self._senses.numbers(place) if part in {None, self._part(synset)}]

    def bases(self, word: str, part: PartOfSpeech | None = None) -> tuple[str, ...]:
        """Return the lemmas of which a word or phrase is a form; itself first if it is a lemma."""
        return self._known_bases(word, part) if len(word) <= _MAX_WORD else ()

    def _find_bases(self, word: str, part: PartOfSpeech | None) -> tuple[str, ...]:
        return tuple(dict.fromkeys(base for base, _ in self._lemmas_of(word, part)))

    def _places(self, word: str, part: PartOfSpeech | None) -> Iterator[int]:
        """Yield the lemmas of `word`: the word itself, irregular forms, then regular endings."""
        return (place for _, place in self._lemmas_of(word, part))

    def _lemmas_of(self, word: str, part: PartOfSpeech | None) -> Iterator[tuple[str, int]]:
        if len(word) > _MAX_WORD:
            return
        plain = " ".join(word.casefold().replace("_", " ").split())
        for base, base_part in self._bases(plain, part):
            place = self._place(base)
            if place is not None and (base_part is None or self._has(place, base_part)):
                yield base, place

    def _bases(self, word: str, part: PartOfSpeech | None) -> Iterator[tuple[str, PartOfSpeech | None]]:
        yield word, part
        parts = (part,) if part else _PARTS
        if irregular := self._exceptions.get(word):
            for each in parts:
                for base in irregular.get(each, ()):
                    yield base, each
        head, space, last = word.rpartition(" ")
        irregular = self._exceptions.get(last) if space else None
        for each in parts:
            for base in irregular.get(each, ()) if irregular else ():
                yield head + space + base, each
            for ending, base_ending in _ENDINGS[each].get(last[-1:], ()):
                if len(last) > len(ending) + 1 and last.endswith(ending):
                    yield word[: len(word) - len(ending)] + base_ending, each

    def _has(self, place: int, part: PartOfSpeech) -> bool:
        return part in self._parts(place)

    def _find_place(self, lemma: str) -> int | None:
        try:
            wanted = lemma.encode()
        except UnicodeEncodeError:
            return None
        if not 0 < len(wanted) <= _MAX_WORD:
            return None
        step = bisect_right(self._sampled_lemmas, wanted)
        # The texts of a step are searched as bytes, which takes a quarter of the time of a binary search in Python.
        return self._forms.find(wanted, (step - 1) * _STEP, min(step * _STEP, self._lemmas)) if step else None

    @cached_property
    def _sampled_lemmas(self) -> list[bytes]:
        return [self._forms.text(place) for place in range(0, self._lemmas, _STEP)]

    def _form(self, place: int) -> str:
        return self._forms.text(place).decode()

    def _part(self, synset: int) -> PartOfSpeech:
        return cast("PartOfSpeech", PARTS[bisect_right(self._header["synsets"], synset)])

    def _heads(self, synsets: Iterable[int]) -> Iterator[int]:
        """Yield the first form of each synset, which is its best-known one."""
        return (self._members.numbers(synset)[0] for synset in synsets)

    def _terms(self, forms: Iterable[int], lemma: str) -> tuple[str, ...]:
        """Return the first `MAX_TERMS` forms, without `lemma` and without duplicates."""
        terms: dict[str, str] = {}
        for form in forms:
            term = self._form(form)
            if term.casefold() != lemma:
                terms.setdefault(term.casefold(), term)
            if len(terms) == MAX_TERMS:
                break
        return tuple(terms.values())

    @cached_property
    def _exceptions(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """The lemmas of irregular forms, by form and part of speech."""
        offset, size = self._section("exceptions")
        lines = (line.split("\t") for line in zlib.decompress(self._data[offset : offset + size]).decode().splitlines())
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for form, part, *lemmas in lines:
            found.setdefault(form, {})[part] = tuple(lemmas)
        return found


@cache
def wordnet() -> WordNet:
    """Return the shipped WordNet; the first call reads the whole file, in about 25 ms. Raises as `WordNet` does."""
    return WordNet(SHIPPED, digest=DIGEST)
