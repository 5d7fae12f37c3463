"""WordNet 3.0 as concepts: one per synset, and hypernyms as `includes` edges."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

DIRECTORY = Path("/usr/share/wordnet")
"""Where Debian's wordnet-base puts the files."""

_PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_LEXICAL_FILES = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition "
    "noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object noun.person "
    "noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state "
    "noun.substance noun.time verb.body verb.change verb.cognition verb.communication verb.competition verb.consumption "
    "verb.contact verb.creation verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative "
    "verb.weather adj.ppl"
).split()


@dataclass(frozen=True, slots=True)
class Synset:
    """A set of synonyms: its key, a unique name, gloss, file and hypernyms' keys."""

    key: str
    name: str
    gloss: str
    area: str
    hypernyms: tuple[str, ...]


def synsets(limit: int, directory: Path = DIRECTORY) -> list[Synset]:
    """Return the first `limit` synsets, the parts of speech taken in turn so that every size has all of them."""
    readers = [_read(directory / f"data.{part}", part) for part in _PARTS]
    return list(islice(_in_turn(readers), limit))


def _in_turn(readers: list[Iterator[Synset]]) -> Iterator[Synset]:
    while readers:
        for reader in list(readers):
            try:
                yield next(reader)
            except StopIteration:
                readers.remove(reader)


def _read(path: Path, part: str) -> Iterator[Synset]:
    senses: Counter[str] = Counter()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith(" "):
                yield _parse(line, part, senses)


def _parse(line: str, part: str, senses: Counter[str]) -> Synset:
    facts, _, gloss = line.partition(" | ")
    words = facts.split()
    offset, lexical_file, count = words[0], int(words[1]), int(words[3], 16)
    lemma = words[4].replace("_", " ")
    senses[lemma] += 1
    rest = words[4 + 2 * count :]
    pointers = [rest[1 + 4 * place : 5 + 4 * place] for place in range(int(rest[0]))]
    hypernyms = tuple(f"{kind}{target}" for symbol, target, kind, _ in pointers if symbol in ("@", "@i"))
    name = f"{lemma} ({part}, {senses[lemma]})"
    return Synset(f"{_PARTS[part]}{offset}", name, gloss.strip(), _LEXICAL_FILES[lexical_file], hypernyms)
