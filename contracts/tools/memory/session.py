"""A session of 150 calls: an agent remembers the people and the work of two teams, a database each, and asks about them."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from backends.ports.values import Json, JsonObject
from contracts.corpus import HOSTILE_TEXTS
from contracts.sessions import Session, SessionStep, step

CALLS = 150
FILED_FIRST = 30
DATABASES = ("memory", "notes")

PEOPLE = ("Asha", "Bela", "Chidi", "Dagny", "Emeka", "Farah", "Gun", "Hiro")
WORK = ("Lighthouse", "Tide Table", "Harbour Map", "Signal Book", "Ferry Plan")
TOOLS = ("compass", "sextant", "sounding line", "barometer", "logbook")
KINDS = {"person": PEOPLE, "project": WORK, "tool": TOOLS}
VERBS = ("WORKS_ON", "KNOWS", "uses", "blocks the way of")
OBSERVATIONS = (
    "prefers to work before sunrise",
    "was promised for the end of the month",
    "is kept in the cupboard by the door",
    "answers letters on the same day",
    "needs a second pair of eyes before it is done",
    "cost more than anybody had expected",
    "was found to be wrong by two degrees",
    "speaks Portuguese and a little Finnish",
    "must not get wet",
)
QUESTIONS = (
    "Who rises early?",
    "which languages are spoken",
    "things to keep dry",
    "measurements that are off",
    "work that has a deadline",
    "expensive",
)


@dataclass
class _Memory:
    """What the agent has stored so far, by database."""

    rng: random.Random
    names: dict[str, list[str]] = field(default_factory=lambda: {database: [] for database in DATABASES})

    def database(self) -> str:
        return self.rng.choices(DATABASES, (3, 1))[0]

    def name(self, database: str) -> str:
        return self.rng.choice(self.names[database] or ["nobody yet"])

    def learn(self, call: SessionStep, reply: JsonObject) -> None:
        """Remember what a call has created."""
        if call.tool == "create_entity" and reply.get("status") == "created":
            self.names[str(call.arguments["database"])].append(str(call.arguments["name"]))


def script(rng: random.Random) -> Generator[SessionStep, JsonObject, None]:
    """Yield the calls; each is chosen at random among those that make sense then."""
    memory = _Memory(rng)
    for number in range(CALLS):
        call = _create(memory, number) if number < FILED_FIRST else _next(memory, number)
        memory.learn(call, (yield call))


def _next(memory: _Memory, number: int) -> SessionStep:
    makers = (_create, _observe, _link, _words, _meaning, _related, _count, _mistake)
    weights = (8, 14, 32, 12, 12, 18, 4, 5)
    return memory.rng.choices(makers, weights)[0](memory, number)


def _create(memory: _Memory, number: int) -> SessionStep:
    rng, database = memory.rng, memory.database()
    kind = rng.choice(sorted(KINDS))
    name = rng.choice(KINDS[kind])
    if number % 5 == 4:
        name = f"{name} {HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]}"
    elif number % 5 == 3:
        name = f"{name} {number}"
    arguments: dict[str, Json] = {"database": database, "name": name, "entity_type": kind}
    if rng.random() < 0.8:
        arguments["observations"] = [f"{name} {fact}" for fact in rng.sample(OBSERVATIONS, rng.randrange(4))]
    return step("create_entity", arguments)


def _observe(memory: _Memory, number: int) -> SessionStep:
    database = memory.database()
    name = memory.name(database)
    facts: list[Json] = [f"{name} {fact}" for fact in memory.rng.sample(OBSERVATIONS, 2)]
    more: list[Json] = [HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]] if number % 3 == 0 else []
    return step("add_observations", {"database": database, "entity_name": name, "observations": facts + more})


def _link(memory: _Memory, number: int) -> SessionStep:
    database = memory.database()
    arguments: dict[str, Json] = {
        "database": database,
        "from_entity": memory.name(database),
        "to_entity": memory.name(database),
        "relationship_type": memory.rng.choice(VERBS),
    }
    if number % 4:
        arguments["confidence"] = round(memory.rng.random(), 2)
    return step("create_relationship", arguments)


def _words(memory: _Memory, number: int) -> SessionStep:
    rng = memory.rng
    queries = (
        rng.choice(PEOPLE).upper(),
        rng.choice(OBSERVATIONS)[3:18],
        rng.choice(HOSTILE_TEXTS)[:10].strip() or "x",
        "person",
        "a",
    )
    return step(
        "search_entities",
        {"database": memory.database(), "query": rng.choice(queries), "limit": rng.choice((3, 10, 100))},
    )


def _meaning(memory: _Memory, number: int) -> SessionStep:
    # All that are close enough: which of two equally close ones is the tenth may differ from engine to engine.
    threshold = memory.rng.choice((0.0, 0.15, 0.3))
    question = memory.rng.choice(QUESTIONS)
    arguments = {"database": memory.database(), "query": question, "limit": 100, "threshold": threshold}
    return step("semantic_search", arguments)


def _related(memory: _Memory, number: int) -> SessionStep:
    rng, database = memory.rng, memory.database()
    reach = {"max_depth": rng.randrange(1, 6), "limit": rng.choice((2, 20, 100))}
    return step("get_related_entities", {"database": database, "entity_name": memory.name(database), **reach})


def _count(memory: _Memory, number: int) -> SessionStep:
    return step("get_graph_summary", {"database": memory.database()} if memory.rng.random() < 0.7 else {})


def _mistake(memory: _Memory, number: int) -> SessionStep:
    nobody, database = "nobody by this name", memory.database()
    mistakes: Sequence[tuple[str, dict[str, Json]]] = (
        ("add_observations", {"database": database, "entity_name": nobody, "observations": ["is unknown"]}),
        ("get_related_entities", {"database": database, "entity_name": nobody}),
        ("create_entity", {"database": "elsewhere", "name": "Asha", "entity_type": "person"}),
        ("create_entity", {"database": database, "name": " ", "entity_type": "person"}),
        ("semantic_search", {"database": database, "query": "anything", "threshold": 1.5}),
        (
            "create_relationship",
            {
                "database": database,
                "from_entity": nobody,
                "to_entity": memory.name(database),
                "relationship_type": "KNOWS",
            },
        ),
    )
    return step(*memory.rng.choice(mistakes))


SESSION = Session("memory", script, CALLS, {"databases": ["notes"]})
