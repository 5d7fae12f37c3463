"""A session of 300 calls as an agent might make them: it files what it learns about storage, links it, mends it, asks."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import cast

from backends.ports.values import Json, JsonObject
from contracts.corpus import HOSTILE_TEXTS
from contracts.sessions import Session, SessionStep, step

CALLS = 300
UNKNOWN = "00000000-0000-4000-8000-000000000000"
KINDS = ("prerequisite", "relates_to", "includes")

THINGS = (
    "index",
    "log",
    "page",
    "lock",
    "transaction",
    "snapshot",
    "replica",
    "cache",
    "query",
    "cursor",
    "schema",
    "key",
)
QUALITIES = (
    "write-ahead",
    "inverted",
    "dirty",
    "shared",
    "nested",
    "stale",
    "sharded",
    "covering",
    "prepared",
    "foreign",
)
PURPOSES = (
    "finds rows without reading the whole table",
    "keeps what was acknowledged when the power fails",
    "lets readers go on while somebody writes",
    "spares a second look at the disk",
    "tells two writers apart that touch the same row",
    "is thrown away when the data beneath it change",
    "holds the words of a text and where they occur",
    "is agreed on by most of the machines before it counts",
)
QUESTIONS = (
    "How does a database survive loss of power?",
    "finding words in texts",
    "why do readers not wait for writers",
    "two writers at once",
    "avoid reading from disk again",
    "machines that agree",
)
PLACES = (
    ("storage", "files", "layout"),
    ("storage", "files", None),
    ("storage", "indexes", "trees"),
    ("retrieval", "words", None),
    ("retrieval", None, None),
    (None, None, None),
)


@dataclass
class _Notebook:
    """What the agent has stored so far."""

    rng: random.Random
    concepts: list[str] = field(default_factory=list[str])
    links: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    def concept(self) -> str:
        return self.rng.choice(self.concepts)

    def learn(self, call: SessionStep, reply: JsonObject) -> None:
        """Remember what a call has created or removed."""
        if not reply.get("success"):
            return
        arguments = call.arguments
        if call.tool == "create_concept":
            self.concepts.append(str(reply["concept_id"]))
        elif call.tool == "delete_concept":
            gone = str(arguments["concept_id"])
            self.concepts.remove(gone)
            self.links = [link for link in self.links if gone not in link[:2]]
        elif call.tool == "create_relationship":
            self.links.append(_ends(arguments))
        elif call.tool == "delete_relationship":
            self.links = [link for link in self.links if link != _ends(arguments)]


def _ends(arguments: JsonObject) -> tuple[str, str, str]:
    source, target, kind = (str(arguments[name]) for name in ("source_id", "target_id", "relationship_type"))
    return source, target, kind


def script(rng: random.Random) -> Generator[SessionStep, JsonObject, None]:
    """Yield the calls; each is chosen at random among those that make sense then."""
    book = _Notebook(rng)
    for number in range(CALLS):
        call = _create(book, number) if number < 40 else _next(book, number)
        book.learn(call, (yield call))


def _next(book: _Notebook, number: int) -> SessionStep:
    makers = (_create, _link, _update, _delete, _unlink, _semantic, _exact, _walk, _browse, _mistake)
    weights = (10, 22, 10, 3, 3, 14, 16, 14, 6, 4)
    return book.rng.choices(makers, weights)[0](book, number)


def _create(book: _Notebook, number: int) -> SessionStep:
    rng = book.rng
    name = f"{rng.choice(QUALITIES)} {rng.choice(THINGS)}"
    if number % 6 == 5:
        name = f"{name}: {HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]}"[:200]
    area, topic, subtopic = rng.choice(PLACES)
    arguments: dict[str, Json] = {
        "name": name,
        "explanation": f"The {name} {rng.choice(PURPOSES)}, and it {rng.choice(PURPOSES)}.",
        "area": area,
        "topic": topic,
        "subtopic": subtopic,
    }
    if rng.random() < 0.7:
        arguments["certainty_score"] = rng.randrange(101)
    return step("create_concept", arguments)


def _link(book: _Notebook, number: int) -> SessionStep:
    strength = round(book.rng.random(), 2)
    kind = book.rng.choice(KINDS)
    return step(
        "create_relationship",
        {"source_id": book.concept(), "target_id": book.concept(), "relationship_type": kind, "strength": strength},
    )


def _update(book: _Notebook, number: int) -> SessionStep:
    changes: Sequence[dict[str, Json]] = (
        {"explanation": f"In short, it {book.rng.choice(PURPOSES)}."},
        {"certainty_score": book.rng.randrange(101)},
        {"area": "moved", "topic": f"topic {number % 3}"},
        {"name": f"renamed {number}"},
    )
    return step("update_concept", {"concept_id": book.concept(), **book.rng.choice(changes)})


def _delete(book: _Notebook, number: int) -> SessionStep:
    return step("delete_concept", {"concept_id": book.concept()})


def _unlink(book: _Notebook, number: int) -> SessionStep:
    if not book.links:
        return _link(book, number)
    source, target, kind = book.rng.choice(book.links)
    return step("delete_relationship", {"source_id": source, "target_id": target, "relationship_type": kind})


def _semantic(book: _Notebook, number: int) -> SessionStep:
    more: Sequence[dict[str, Json]] = (
        {},
        {"area": "storage"},
        {"min_certainty": 40},
        {"area": "storage", "topic": "files", "min_certainty": 20},
    )
    question = book.rng.choice(QUESTIONS)
    return step("search_concepts_semantic", {"query": question, "limit": 8, **book.rng.choice(more)})


def _exact(book: _Notebook, number: int) -> SessionStep:
    criteria: Sequence[dict[str, Json]] = (
        {"name": book.rng.choice(THINGS).upper()},
        {"name": book.rng.choice(HOSTILE_TEXTS)[:12].strip() or "x"},
        {"area": "storage", "limit": 100},
        {"area": "Uncategorized"},
        {"area": "storage", "topic": "General"},
        {"min_certainty": 60, "limit": 10},
    )
    return step("search_concepts_exact", book.rng.choice(criteria))


def _walk(book: _Notebook, number: int) -> SessionStep:
    rng = book.rng
    questions = (
        (
            "get_related_concepts",
            {"concept_id": book.concept(), "direction": rng.choice(("incoming", "outgoing", "both"))},
        ),
        ("get_prerequisites", {"concept_id": book.concept(), "depth": rng.randrange(1, 6)}),
        ("get_concept_chain", {"start_concept_id": book.concept(), "end_concept_id": book.concept()}),
        ("get_concept", {"concept_id": book.concept(), "include_history": True}),
    )
    tool, arguments = rng.choice(questions)
    return step(tool, cast("dict[str, Json]", arguments))


def _browse(book: _Notebook, number: int) -> SessionStep:
    tools: Sequence[tuple[str, dict[str, Json]]] = (
        ("list_hierarchy", {}),
        ("get_recent_concepts", {"limit": 10}),
        ("get_concepts_by_certainty", {"min_certainty": 20, "max_certainty": 70, "limit": 30}),
        ("get_tool_availability", {}),
    )
    return step(*book.rng.choice(tools))


def _mistake(book: _Notebook, number: int) -> SessionStep:
    mistakes: Sequence[tuple[str, dict[str, Json]]] = (
        ("get_concept", {"concept_id": UNKNOWN}),
        ("delete_concept", {"concept_id": UNKNOWN}),
        ("create_concept", {"name": "", "explanation": "nothing"}),
        ("search_concepts_semantic", {"query": "anything", "limit": 0}),
        ("get_concept_chain", {"start_concept_id": book.concept(), "end_concept_id": UNKNOWN}),
    )
    return step(*book.rng.choice(mistakes))


SESSION = Session("knowledge", script, CALLS)
