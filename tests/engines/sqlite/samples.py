"""Small records that the tests store."""

from backends.ports.events import EventId, Expectation, Expected, NewEvent, StreamName, Write
from backends.ports.graph import GraphBatch, KindSpec, Node
from backends.ports.values import FieldSpec, Micros, NodeId, Revision

KIND = KindSpec("concept", (FieldSpec("name", "str", sort=True, text=True),))
WORDS = ("harbour", "lantern", "meadow", "quarry")
ROUNDS, MOST = 60, 30


def write(stream: str, *, expected: Expectation = Expected.ANY, events: int = 1) -> Write:
    facts = tuple(
        NewEvent(EventId(f"{stream}#{number}"), "test.happened", {"n": number}, Micros(1)) for number in range(events)
    )
    return Write(StreamName(stream), facts, expected)


def batch(*names: str, rev: int = 1) -> GraphBatch:
    return GraphBatch(nodes=tuple(Node(NodeId(name), KIND.name, {"name": name}, Revision(rev)) for name in names))
