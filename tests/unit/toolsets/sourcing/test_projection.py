"""Which stores have the records of a stream, and what projects it."""

from dataclasses import replace

import pytest

from backends.ports.events import StreamName
from tests.support.histories import history_of
from tests.unit.toolsets.sourcing.library import BOOKS, PROJECTOR, SEQUELS
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.projection import Projection, StreamKind


def nothing(stream: StreamName, _: object) -> Projection:
    raise AssertionError(stream)


@pytest.mark.parametrize(
    ("kind", "ports"),
    [
        (StreamKind("a/", nothing, graph="node", collection="c"), ("graph", "vectors")),
        (StreamKind("a/", nothing, graph="edge"), ("graph",)),
        (StreamKind("a/", nothing, collection="c"), ("vectors",)),
        (StreamKind("a/", nothing), ()),
    ],
)
def test_a_stream_has_records_where_it_has_an_anchor(kind: StreamKind, ports: tuple[str, ...]) -> None:
    assert kind.ports() == ports
    assert kind.anchor(StreamName("a/b/c")) == "b/c"


def test_without_collections_no_vector_store_is_needed() -> None:
    assert PROJECTOR.ports() == ("graph", "vectors")
    assert replace(PROJECTOR, collections=()).ports() == ("graph",)


def test_a_stream_is_projected_by_the_kind_of_its_prefix() -> None:
    book, sequel = StreamName(f"{BOOKS}a"), StreamName(f"{SEQUELS}a>b")
    assert [kind.prefix for kind in map(PROJECTOR.stream_kind, (book, sequel)) if kind] == [BOOKS, SEQUELS]
    assert PROJECTOR.stream_kind(StreamName("library/claim/x")) is None
    projected = PROJECTOR.project(sequel, history_of(sequel, ("library.sequel_noted", {})))
    assert (projected.stream, projected.rev, len(projected.edges)) == (sequel, 1, 1)


@pytest.mark.parametrize(
    ("stream", "reason"), [(f"{BOOKS}a", "has no events"), ("library/claim/x", "is not projected")]
)
def test_what_cannot_be_projected_is_not_passed_over(stream: str, reason: str) -> None:
    with pytest.raises(UnreadableEvent, match=reason):
        PROJECTOR.project(StreamName(stream), ())
