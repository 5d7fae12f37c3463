"""What a write leaves as it is and relies on: decided together with it, so that no other process takes it away meanwhile."""

from backends.ports.events import EventId, Expected, RecordedEvent, StreamName
from backends.ports.values import JsonObject, Micros
from toolsets.memory import entity, relationship
from toolsets.memory.database import CREATED, Database
from toolsets.memory.relationship import EdgeKey
from toolsets.memory.streams import Keyspace, database_stream
from toolsets.sourcing.aggregate import Change, Histories

HOME = Database("home", Keyspace("k1"))
STILL_THERE = Change(database_stream("home"))
EDGE = EdgeKey("Sand", "Glass", "BECOMES")


def stored(*names: str) -> Histories:
    """Return a live database with entities, and nothing of what is written to it."""
    keyspace, listed = HOME.keyspace, database_stream("home")
    edges = [keyspace.relationship(names[0], EDGE.type, name) for name in names]
    absent = (keyspace.entity("Lens"), keyspace.type(EDGE.type), *edges)
    entities = {HOME.keyspace.entity(name): {"name": name, "type": "thing"} for name in names}
    return Histories(
        {
            **dict.fromkeys(absent, ()),
            listed: (_event(listed, CREATED, {"name": "home", "key": "k1"}),),
            **{stream: (_event(stream, entity.CREATED, data),) for stream, data in entities.items()},
        }
    )


def _event(stream: StreamName, kind: str, data: JsonObject) -> RecordedEvent:
    return RecordedEvent(EventId("e"), stream, 1, 1, kind, data, Micros(0), 1, {})


def test_every_write_asserts_that_its_database_is_still_there() -> None:
    both = stored("Sand", "Glass")
    for changes in (
        entity.create(both, HOME, "Lens", "thing", ()).changes,
        entity.observe(both, HOME, "Sand", ("is everywhere",)).changes,
        relationship.create(both, HOME, EDGE, 1.0).changes,
    ):
        assert len(changes) > 1
        assert STILL_THERE in changes


def test_an_edge_asserts_that_its_ends_are_there_and_no_more() -> None:
    """Their exact versions would let every observation refuse new edges."""
    changes = relationship.create(stored("Sand", "Glass"), HOME, EDGE, 1.0).changes
    for end in ("Sand", "Glass"):
        assert Change(HOME.keyspace.entity(end), expected=Expected.EXISTS) in changes
    loop = EdgeKey("Sand", "Sand", EDGE.type)
    changes = relationship.create(stored("Sand"), HOME, loop, 1.0).changes
    assert [change.stream for change in changes].count(HOME.keyspace.entity("Sand")) == 1
