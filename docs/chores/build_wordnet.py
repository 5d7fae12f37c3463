"""Make toolsets/concept_rag/wordnet/wordnet.bin again from the files of WordNet 3.0.

    apt-get install wordnet-base        (or unpack it elsewhere)
    python docs/chores/build_wordnet.py /usr/share/wordnet OUTPUT_FILE

Reads data.*, index.*, *.exc and cntlist.rev, checks that they are the expected ones by what they hold, and prints
the digest of the result, which `lexicon.py` names. `toolsets/concept_rag/wordnet/layout.py` says how the result is laid out.
"""

import hashlib
import json
import re
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from toolsets.concept_rag.wordnet.layout import GLOSS_BLOCK, MAGIC, PARTS, WIDTH

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SENSE_TYPES = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
EXPECTED = {"synsets": 117_659, "lemmas": 147_306, "senses": 206_941}
MARKER = re.compile(r"\((?:a|p|ip)\)$")
EXAMPLE = re.compile(r'; ?"')

Key = tuple[str, str]
"""A part of speech and an offset in its data file."""


def rows(file: Path) -> Iterator[str]:
    with file.open(encoding="latin-1") as lines:
        yield from (line for line in lines if not line.startswith(" "))


class Source:
    """The files of WordNet, read."""

    def __init__(self, folder: Path) -> None:
        self.keys: list[Key] = []
        self.forms: dict[Key, list[str]] = {}
        self.pointers: dict[Key, dict[str, list[Key]]] = {}
        self.glosses: dict[Key, str] = {}
        self.senses: dict[str, dict[str, list[Key]]] = defaultdict(dict)
        self.counts: dict[tuple[str, str, int], int] = {}
        self.exceptions: list[tuple[str, str, list[str]]] = []
        for line in rows(folder / "cntlist.rev"):
            key, number, count = line.split()
            lemma, _, rest = key.partition("%")
            self.counts[lemma.replace("_", " "), SENSE_TYPES[rest[0]], int(number)] = int(count)
        for part, name in FILES.items():
            self._read_data(part, folder / f"data.{name}")
            self._read_index(part, folder / f"index.{name}")
            for line in rows(folder / f"{name}.exc"):
                form, *lemmas = (
                    line.replace("_", " ").split() if "_" not in line else [w.replace("_", " ") for w in line.split()]
                )
                self.exceptions.append((form, part, lemmas))

    def _read_data(self, part: str, file: Path) -> None:
        for line in rows(file):
            body, _, gloss = line.partition(" | ")
            words = body.split()
            key = part, words[0]
            count = int(words[3], 16)
            self.keys.append(key)
            self.forms[key] = [MARKER.sub("", word).replace("_", " ") for word in words[4 : 4 + 2 * count : 2]]
            place = 4 + 2 * count
            pointers: dict[str, list[Key]] = defaultdict(list)
            for number in range(int(words[place])):
                symbol, offset, target, _ = words[place + 1 + 4 * number : place + 5 + 4 * number]
                pointers[symbol].append(("a" if target == "s" else target, offset))
            self.pointers[key] = pointers
            self.glosses[key] = EXAMPLE.split(gloss.strip(), maxsplit=1)[0].strip()

    def _read_index(self, part: str, file: Path) -> None:
        for line in rows(file):
            words = line.split()
            offsets = words[6 + int(words[3]) :]
            self.senses[words[0].replace("_", " ")][part] = [(part, offset) for offset in offsets]


def ordered_senses(source: Source, lemma: str) -> list[Key]:
    """Return the senses of all parts of speech by use, each part's in WordNet's order."""
    ranked: list[tuple[int, int, int, Key]] = []
    for part, keys in source.senses[lemma].items():
        use = sys.maxsize
        for rank, key in enumerate(keys):
            use = min(use, source.counts.get((lemma, part, rank + 1), 0))
            ranked.append((-use, PARTS.index(part), rank, key))
    return [key for *_, key in sorted(ranked)]


def usage(source: Source, lemma: str) -> int:
    """Return the byte that tells how a lemma is used."""
    uses = {
        part: sum(source.counts.get((lemma, part, rank + 1), 0) for rank in range(len(keys)))
        for part, keys in source.senses[lemma].items()
    }
    share = (uses["n"] + 1) / (sum(uses.values()) + len(uses)) if "n" in uses else 0
    return round(share * 15) << 4 | min(15, sum(uses.values()).bit_length())


def lists(name: str, items: Iterable[Iterable[int]]) -> dict[str, bytes]:
    starts, flat = [0], list[int]()
    for each in items:
        flat.extend(each)
        starts.append(len(flat))
    return {f"{name}.starts": packed(starts), f"{name}.items": packed(flat)}


def texts(name: str, items: Iterable[bytes]) -> dict[str, bytes]:
    starts, flat = [0], bytearray()
    for each in items:
        flat += each
        starts.append(len(flat))
    return {f"{name}.starts": packed(starts), f"{name}.items": bytes(flat)}


def packed(numbers: list[int]) -> bytes:
    return b"".join(number.to_bytes(WIDTH, "little") for number in numbers)


def sections(source: Source) -> dict[str, bytes]:
    lemmas = sorted(source.senses, key=str.encode)
    known = set(lemmas)
    cased = sorted({form for forms in source.forms.values() for form in forms} - known)
    places = {form: place for place, form in enumerate([*lemmas, *cased])}
    numbers = {key: number for number, key in enumerate(source.keys)}
    use: dict[Key, int] = defaultdict(int)
    for lemma, parts in source.senses.items():
        for part, keys in parts.items():
            for rank, key in enumerate(keys):
                use[key] += source.counts.get((lemma, part, rank + 1), 0)

    def near(key: Key, *symbols: str) -> list[int]:
        found = [target for symbol in symbols for target in source.pointers[key].get(symbol, ())]
        return list(dict.fromkeys(numbers[target] for target in sorted(found, key=lambda target: -use[target])))

    glosses = [source.glosses[key].replace("\n", " ") for key in source.keys]
    blocks = ("\n".join(glosses[start : start + GLOSS_BLOCK]) for start in range(0, len(glosses), GLOSS_BLOCK))
    exceptions = "\n".join("\t".join((form, part, *bases)) for form, part, bases in source.exceptions)
    return {
        **texts("forms", (form.encode() for form in places)),
        **lists("senses", ([numbers[key] for key in ordered_senses(source, lemma)] for lemma in lemmas)),
        **lists("members", ([places[form] for form in source.forms[key]] for key in source.keys)),
        **lists("broader", (near(key, "@", "@i") for key in source.keys)),
        **lists("narrower", (near(key, "~", "~i") for key in source.keys)),
        **texts("glosses", (zlib.compress(block.encode(), 9) for block in blocks)),
        "usage": bytes(usage(source, lemma) for lemma in lemmas),
        "exceptions": zlib.compress(exceptions.encode(), 9),
    }


def main(folder: Path, output: Path) -> None:
    source = Source(folder)
    found = {
        "synsets": len(source.keys),
        "lemmas": len(source.senses),
        "senses": sum(len(keys) for parts in source.senses.values() for keys in parts.values()),
    }
    if found != EXPECTED:
        sys.exit(f"{folder} does not hold WordNet 3.0: {found} instead of {EXPECTED}")
    parts = sections(source)
    directory: dict[str, tuple[int, int]] = {}
    place = 0
    for name, content in parts.items():
        directory[name] = (place, len(content))
        place += len(content)
    ends = [sum(key[0] in PARTS[: number + 1] for key in source.keys) for number in range(len(PARTS))]
    header = json.dumps({"sections": directory, "lemmas": found["lemmas"], "synsets": ends}).encode()
    content = b"".join((MAGIC, len(header).to_bytes(4, "little"), header, *parts.values()))
    output.write_bytes(content)
    print(f"{output}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
