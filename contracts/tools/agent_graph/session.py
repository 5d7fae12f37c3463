"""A session of 160 calls: agents of two channels store what they read about software, merge duplicates, and ask."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import cast

from backends.ports.values import Json, JsonObject
from contracts.corpus import HOSTILE_TEXTS
from contracts.sessions import Session, SessionStep, step

CALLS = 160
FILED_FIRST = 24
UNKNOWN = f"ent_{0:032x}"
CHANNELS = ("default", "night shift")
"""The second one is only reached by connections that are bound to it."""

NAMES = {
    "person": ("Ingrid Berg", "Tomasz Nowak", "Ines Duarte", "I. Duarte"),
    "organization": ("Initech", "Initech Inc.", "Software in the Public Interest"),
    "project": ("Atlas", "Project Atlas", "Atlas rewrite"),
    "technology": ("PostgreSQL", "Postgres", "React", "React.js", "Docker", "Docker Compose"),
    "concept": ("back pressure", "Back-Pressure", "idempotence"),
    "task": ("AUTH-142", "AUTH-143"),
    "document": ("RFC 9110", "release notes"),
}
RELATIONS = ("WORKS_ON", "OWNS", "DEPENDS_ON", "RELATED_TO", "USES", "BLOCKS", "REFERENCES", "CREATED")
TEXTS = (
    "Ingrid Berg leads the Atlas project. She works at Initech and reviews AUTH-142.",
    "Atlas depends on PostgreSQL, Redis and Docker. It is written in Python.",
    "Tomasz Nowak created Atlas. He joined Initech in May.",
    "AUTH-142 blocks AUTH-143. Ines Duarte works on AUTH-143.",
    "Debian, founded by Ian Murdock, uses systemd. Software in the Public Interest owns the trademark.",
    "PostgreSQL, also known as Postgres, was developed by Michael Stonebraker.",
    "The release notes mention nothing of the kind.",
    "Ines Duarte and Tomasz Nowak maintain Kubernetes at Initech; they use Docker.",
)
TASKS = (
    "Decide whether Atlas keeps PostgreSQL or moves to Redis",
    "Unblock AUTH-143 with the people who know Docker",
    "Write release notes for React and Postgres",
)
PHASES = ("observation", "reasoning", "planning", "action", "reflection")
KEYWORDS = ("atlas", "POSTGRES", "docker", "auth-", "duarte", "e")


@dataclass
class _Graph:
    """What the agents have stored so far: the ids of entities by channel, and pairs of possible duplicates."""

    rng: random.Random
    ids: dict[str, list[str]] = field(default_factory=lambda: {channel: [] for channel in CHANNELS})
    doubles: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def channel(self) -> str:
        return self.rng.choices(CHANNELS, (3, 1))[0]

    def id(self, channel: str) -> str:
        return self.rng.choice(self.ids[channel] or [UNKNOWN])

    def learn(self, call: SessionStep, reply: JsonObject) -> None:
        """Remember what a call has created, found or removed."""
        known = self.ids[call.channel or CHANNELS[0]]
        known.extend(entity_id for entity_id in _entities(reply) if entity_id not in known)
        if call.tool == "kg_find_duplicates":
            pairs = cast("Sequence[JsonObject]", reply["duplicates"])
            self.doubles = [(_id(pair["entity1"]), _id(pair["entity2"])) for pair in pairs]
        if call.tool == "kg_merge_entities" and reply["success"]:
            for gone in cast("Sequence[str]", call.arguments["sourceEntityIds"]):
                known.remove(gone)
            self.doubles = []


def _entities(reply: JsonObject) -> list[str]:
    """Return the ids of entities that a call has made."""
    made = [reply["entity"]] if reply.get("entity") else []
    result = reply.get("result")
    if isinstance(result, dict) and "entities" in result:
        made += cast("Sequence[Json]", result["entities"])
    return [_id(entity) for entity in made]


def _id(entity: Json) -> str:
    return str(cast("JsonObject", entity)["id"])


def script(rng: random.Random) -> Generator[SessionStep, JsonObject, None]:
    """Yield the calls; each is chosen at random among those that make sense then."""
    graph = _Graph(rng)
    for number in range(CALLS):
        call = _create(graph, number) if number < FILED_FIRST else _next(graph, number)
        graph.learn(call, (yield call))


def _next(graph: _Graph, number: int) -> SessionStep:
    makers = (_create, _extract, _link, _find, _look, _path, _context, _phase, _double, _mistake)
    weights = (6, 12, 26, 10, 16, 8, 12, 14, 10, 5)
    return graph.rng.choices(makers, weights)[0](graph, number)


def _call(tool: str, arguments: JsonObject, channel: str) -> SessionStep:
    """Return a call in a channel; the first one is the configured default and need not be named."""
    return step(tool, arguments, None if channel == CHANNELS[0] else channel)


def _create(graph: _Graph, number: int) -> SessionStep:
    rng = graph.rng
    kind = rng.choice(sorted(NAMES))
    name = rng.choice(NAMES[kind])
    if number % 6 == 5:
        name = f"{name} {HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]}"
    arguments: dict[str, Json] = {"name": name, "type": kind}
    if number % 3 == 0:
        arguments["aliases"] = [f"{name} no. {number}", name.swapcase()]
    if number % 4 == 1:
        arguments["description"] = f"Known since call {number}, and part of what {rng.choice(KEYWORDS)} is about."
    if number % 2:
        arguments["confidence"] = round(rng.random(), 2)
    return _call("kg_create_entity", arguments, graph.channel())


def _extract(graph: _Graph, number: int) -> SessionStep:
    text = graph.rng.choice(TEXTS)
    if number % 3:
        return _call("kg_extract_from_text", {"text": text, "sourceId": f"source {number % 4}"}, graph.channel())
    memory: dict[str, Json] = {"memoryId": f"mem_{number % 5}", "memoryContent": text}
    return _call("kg_extract_from_memory", memory, graph.channel())


def _link(graph: _Graph, number: int) -> SessionStep:
    channel = graph.channel()
    arguments: dict[str, Json] = {
        "fromEntityId": graph.id(channel),
        "toEntityId": graph.id(channel),
        "type": graph.rng.choice(RELATIONS),
        "confidence": round(graph.rng.random(), 2),
    }
    if number % 4 == 0:
        arguments["label"] = HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]
    return _call("kg_create_relationship", arguments, channel)


def _find(graph: _Graph, number: int) -> SessionStep:
    rng = graph.rng
    kind = rng.choice(sorted(NAMES))
    name = rng.choice((*KEYWORDS, rng.choice(NAMES[kind]), rng.choice(HOSTILE_TEXTS)[:10].strip() or "x"))
    return _call("kg_find_entity", {"name": name, "exact": number % 4 == 0, "limit": 50}, graph.channel())


def _look(graph: _Graph, number: int) -> SessionStep:
    rng, channel = graph.rng, graph.channel()
    if rng.random() < 0.4:
        return _call("kg_get_entity", {"entityId": graph.id(channel)}, channel)
    arguments: dict[str, Json] = {"entityId": graph.id(channel), "limit": rng.choice((2, 20))}
    if number % 3 == 1:
        arguments["direction"] = rng.choice(("incoming", "outgoing"))
    if number % 5 == 0:
        arguments["relationshipType"] = rng.choice(RELATIONS)
    return _call("kg_get_neighbors", arguments, channel)


def _path(graph: _Graph, number: int) -> SessionStep:
    channel = graph.channel()
    ends = {"fromEntityId": graph.id(channel), "toEntityId": graph.id(channel)}
    return _call("kg_find_path", {**ends, "maxHops": graph.rng.randrange(1, 11)}, channel)


def _context(graph: _Graph, number: int) -> SessionStep:
    rng = graph.rng
    if number % 4 == 0:
        return _call("kg_get_high_utility_entities", {"limit": rng.choice((3, 50))}, graph.channel())
    wanted: Sequence[dict[str, Json]] = (
        {"keywords": rng.sample(KEYWORDS, 2)},
        {"taskId": f"source {number % 4}"},
        {"taskId": f"mem_{number % 5}", "keywords": [rng.choice(KEYWORDS)]},
        {},
    )
    return _call("kg_get_context", rng.choice(wanted), graph.channel())


def _phase(graph: _Graph, number: int) -> SessionStep:
    rng, channel = graph.rng, graph.channel()
    arguments: dict[str, Json] = {"phase": rng.choice(PHASES)}
    if number % 3:
        arguments["taskContent"] = rng.choice(TASKS)
    if number % 2:
        arguments["entityIds"] = [graph.id(channel), graph.id(channel)]
    return _call("kg_get_phase_context", arguments, channel)


def _double(graph: _Graph, number: int) -> SessionStep:
    if not graph.doubles:
        return _call("kg_find_duplicates", {"threshold": graph.rng.choice((0.6, 0.8))}, CHANNELS[0])
    target, source = graph.rng.choice(graph.doubles)
    return _call("kg_merge_entities", {"targetEntityId": target, "sourceEntityIds": [source]}, CHANNELS[0])


def _mistake(graph: _Graph, number: int) -> SessionStep:
    channel, other = CHANNELS
    mistakes: Sequence[tuple[str, dict[str, Json], str]] = (
        ("kg_get_entity", {"entityId": UNKNOWN}, channel),
        ("kg_get_entity", {"entityId": graph.id(channel)}, other),
        ("kg_find_entity", {"name": "atlas", "channelId": channel}, other),
        ("kg_find_path", {"fromEntityId": graph.id(channel), "toEntityId": graph.id(other)}, channel),
        ("kg_create_entity", {"name": "", "type": "person"}, channel),
        ("kg_merge_entities", {"targetEntityId": graph.id(channel), "sourceEntityIds": [graph.id(other)]}, channel),
        ("kg_find_duplicates", {"threshold": 2}, channel),
    )
    return _call(*graph.rng.choice(mistakes))


# Counted reads are recorded by the real clock, which would draw ids at a different moment in each run.
SESSION = Session("agent_graph", script, CALLS, {"access_flush_s": 3_600})
