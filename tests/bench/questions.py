"""The calls that are measured, with arguments drawn from the data."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from tests.bench.wordnet import Synset

Question = tuple[str, Mapping[str, object]]


def always(tool: str, arguments: Mapping[str, object]) -> Iterator[Question]:
    """Ask the same again and again."""
    while True:
        yield tool, arguments


class Questions:
    """Endless arguments for each measured row, the same for each run."""

    def __init__(self, synsets: Sequence[Synset], ids: Mapping[str, str]) -> None:
        self._random = random.Random(7)
        self._synsets = synsets
        self._ids = ids
        self._related = [synset for synset in synsets if any(above in ids for above in synset.hypernyms)]
        # Another number in each run: data that stay for the next run have the names of the last one.
        self._numbers = count(time.time_ns() // 1_000)

    def rows(self) -> Mapping[str, Iterator[Question]]:
        """Return the rows in the order in which they are printed."""
        return {
            "ping": always("ping", {}),
            "get_concept": self._about("get_concept", self._synsets),
            "search_concepts_semantic": self._semantic({}),
            "search_concepts_semantic, area": self._semantic({"area": "noun.artifact"}),
            "search_concepts_exact, name": self._words("name"),
            "search_concepts_exact, area": always("search_concepts_exact", {"area": "noun.artifact"}),
            "get_recent_concepts": always("get_recent_concepts", {}),
            "get_concepts_by_certainty": always("get_concepts_by_certainty", {"min_certainty": 20}),
            "get_related_concepts": self._about("get_related_concepts", self._related),
            "get_prerequisites": self._about("get_prerequisites", self._related),
            "get_concept_chain": self._chains(),
            "list_hierarchy": always("list_hierarchy", {}),
            "get_server_stats": always("get_server_stats", {}),
            "create_concept": self._creations(),
        }

    def new_text(self) -> str:
        """Return a text of a gloss's length that no cache has seen."""
        one, other = self._random.sample(self._synsets, 2)
        return f"{one.gloss[:60]} {other.gloss[:60]} {next(self._numbers)}"

    def _about(self, tool: str, synsets: Sequence[Synset]) -> Iterator[Question]:
        while True:
            yield tool, {"concept_id": self._ids[self._random.choice(synsets).key]}

    def _semantic(self, more: Mapping[str, object]) -> Iterator[Question]:
        while True:
            yield "search_concepts_semantic", {"query": self.new_text(), **more}

    def _words(self, argument: str) -> Iterator[Question]:
        while True:
            lemma = self._random.choice(self._synsets).name.split(" (")[0]
            yield "search_concepts_exact", {argument: lemma[:12]}

    def _chains(self) -> Iterator[Question]:
        while True:
            one, other = self._random.sample(self._related, 2)
            ends = {"start_concept_id": self._ids[one.key], "end_concept_id": self._ids[other.key]}
            yield "get_concept_chain", {**ends, "max_depth": 10}

    def _creations(self) -> Iterator[Question]:
        while True:
            text = self.new_text()
            yield "create_concept", {"name": text[:150], "explanation": text, "area": "bench"}
