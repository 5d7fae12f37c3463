"""Entities and edges in the order in which tools list them."""

from backends.ports.filters import Has, InIgnoringCase
from backends.ports.values import Micros
from toolsets.agent_graph.entity import Entity
from toolsets.agent_graph.queries import by_confidence, by_relevance, by_utility, from_source, known_as, named
from toolsets.agent_graph.relationship import EdgeKey, Relationship


def entity(id_: str, name: str, *aliases: str, utility: float = 0.5, accesses: int = 0, read: int = 0) -> Entity:
    zero = Micros(0)
    return Entity(
        id_, "c", name, "concept", aliases, None, 0.5, utility, accesses, Micros(read), ("t1",), (), zero, zero, 1
    )


def edge(source: str, target: str, confidence: float) -> Relationship:
    return Relationship(EdgeKey(source, target, "USES"), "c", None, confidence, ("t1",), Micros(0), Micros(0), 1)


def test_entities_come_by_utility_reads_last_read_and_name() -> None:
    ordered = [
        entity("e6", "z", utility=0.9),
        entity("e5", "y", accesses=2),
        entity("e4", "x", accesses=1, read=9),
        entity("e3", "w", accesses=1, read=8),
        entity("e1", "A"),
        entity("e2", "A"),
        entity("e0", "b"),
    ]
    assert by_utility(reversed(ordered)) == ordered


def test_utilities_that_differ_by_rounding_are_equal() -> None:
    assert [each.id for each in by_utility([entity("b", "B", utility=0.1 + 0.2), entity("a", "A", utility=0.3)])] == [
        "a",
        "b",
    ]


async def test_entities_with_a_word_as_a_whole_name_come_first() -> None:
    part, whole, alias = entity("p", "Redis Cluster", utility=1.0), entity("w", "redis"), entity("a", "KV", "REDIS")
    assert await by_relevance([whole, part, alias], ["Redis"]) == [alias, whole, part]
    assert await by_relevance([whole, part, alias], []) == [part, alias, whole]


def test_edges_come_by_confidence_and_then_by_the_names_of_their_ends() -> None:
    entities = [entity("1", "Zeta"), entity("2", "Alpha"), entity("3", "Beta")]
    edges = [edge("1", "2", 0.5), edge("2", "1", 0.5), edge("2", "3", 0.5), edge("3", "1", 0.9)]
    assert by_confidence(edges, entities) == [edges[3], edges[2], edges[1], edges[0]]


def test_names_are_compared_whole_and_in_any_case() -> None:
    assert named("Redis") == InIgnoringCase("name", ("Redis",))
    assert known_as("Redis") == InIgnoringCase("names", ("Redis",))
    assert from_source("t1") == Has("sources", "t1")
