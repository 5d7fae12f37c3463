"""How well the offline extractor reads: precision and recall over annotated sentences.

Run `python -m tests.bench.extraction`; with `--misses` it also lists what went wrong in the development half.
"""

import sys
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from toolsets.agent_graph.extraction.model import Extraction, NamedEntity, Relation
from toolsets.agent_graph.extraction.rules import read

ANNOTATED = Path(__file__).parents[1] / "unit" / "toolsets" / "agent_graph" / "extraction" / "annotated.toml"
HALVES = ("development", "held_out", "fresh", "latest")
SIZES = (20_000, 200_000)


class Annotated(BaseModel):
    """One sentence and what a reader found in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    text: str
    entities: list[tuple[str, str]]
    relations: list[tuple[str, str, str]]


@dataclass
class Tally:
    """Hits, inventions and misses of one kind of fact."""

    hits: int = 0
    invented: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])

    @property
    def precision(self) -> float:
        return self.hits / max(1, self.hits + len(self.invented))

    @property
    def recall(self) -> float:
        return self.hits / max(1, self.hits + len(self.missed))

    @property
    def f(self) -> float:
        return 2 * self.precision * self.recall / max(1e-9, self.precision + self.recall)


@dataclass
class Score:
    """All tallies of one half."""

    entities: Tally = field(default_factory=Tally)
    relations: Tally = field(default_factory=Tally)
    types: Tally = field(default_factory=Tally)


def annotated(half: str) -> list[Annotated]:
    """Return the sentences of one half."""
    rows: dict[str, list[object]] = tomllib.loads(ANNOTATED.read_text(encoding="utf-8"))
    return [Annotated.model_validate(row) for row in rows[half]]


def score(half: str) -> Score:
    """Return how well the rules read one half."""
    total = Score()
    for sentence in annotated(half):
        found = read(sentence.text)
        matched = _entities(sentence, found, total)
        _relations(sentence, found, matched, total.relations)
    return total


def _names(cell: str) -> set[str]:
    return {name.casefold() for name in cell.removeprefix("?").split("|")}


def _entities(sentence: Annotated, found: Extraction, total: Score) -> dict[str, int]:
    """Tally entities; return which annotated one each found name is."""
    matched: dict[str, int] = {}
    for entity in found.entities:
        row = next((i for i, (cell, _) in enumerate(sentence.entities) if _is(entity, cell)), None)
        if row is None or row in matched.values():
            total.entities.invented.append(f"{entity.name} ({entity.type}) in: {sentence.text}")
            continue
        matched[entity.name] = row
        cell, types = sentence.entities[row]
        if cell.startswith("?"):
            continue
        total.entities.hits += 1
        if entity.type in types.split("/"):
            total.types.hits += 1
        else:
            total.types.invented.append(f"{entity.name}: {entity.type}, not {types}")
    for row, (cell, _) in enumerate(sentence.entities):
        if row not in matched.values() and not cell.startswith("?"):
            total.entities.missed.append(f"{cell} in: {sentence.text}")
    return matched


def _is(entity: NamedEntity, cell: str) -> bool:
    return bool(_names(cell) & {name.casefold() for name in (entity.name, *entity.aliases)})


def _relations(sentence: Annotated, found: Extraction, matched: dict[str, int], tally: Tally) -> None:
    seen: set[int] = set()
    for relation in found.relations:
        row = next((i for i, cells in enumerate(sentence.relations) if _says(relation, cells, sentence, matched)), None)
        if row is None:
            tally.invented.append(f"{relation.source} {relation.type} {relation.target} in: {sentence.text}")
        elif row not in seen:
            seen.add(row)
            tally.hits += not sentence.relations[row][0].startswith("?")
    for row, (source, kinds, target) in enumerate(sentence.relations):
        if row not in seen and not source.startswith("?"):
            tally.missed.append(f"{source} {kinds} {target} in: {sentence.text}")


def _says(relation: Relation, cells: tuple[str, str, str], sentence: Annotated, matched: dict[str, int]) -> bool:
    source, kinds, target = cells
    return (
        relation.type in kinds.split("/")
        and _same(relation.source, source, sentence, matched)
        and _same(relation.target, target, sentence, matched)
    )


def _same(name: str, annotated_name: str, sentence: Annotated, matched: dict[str, int]) -> bool:
    return name in matched and bool(_names(sentence.entities[matched[name]][0]) & _names(annotated_name))


def main() -> None:
    """Print the figures of all sets, and how long the development half takes when it is repeated."""
    prose = " ".join(sentence.text for sentence in annotated("development"))
    read(prose)
    for size in SIZES:
        text = (prose * (1 + size // len(prose)))[:size]
        start = time.perf_counter()
        read(text)
        print(f"{size:>7,} characters: {time.perf_counter() - start:.2f} s")
    for half in HALVES:
        found = score(half)
        print(f"{half}: {len(annotated(half))} sentences")
        for name, tally in (("entities", found.entities), ("relations", found.relations)):
            print(
                f"  {name:10} precision {tally.precision:.2f}  recall {tally.recall:.2f}  F {tally.f:.2f}  ({tally.hits} right)"
            )
        print(f"  type right {found.types.hits} of {found.entities.hits}")
        if "--misses" in sys.argv and half == "development":
            for kind, tally in (("entity", found.entities), ("relation", found.relations), ("type", found.types)):
                for line in tally.invented:
                    print(f"    {kind} invented: {line}")
                for line in tally.missed:
                    print(f"    {kind} missed: {line}")


if __name__ == "__main__":
    main()
