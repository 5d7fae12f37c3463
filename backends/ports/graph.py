"""The graph port: typed nodes and edges, projected from streams and guarded by revisions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from backends.ports.errors import InvalidInput
from backends.ports.filters import Filter
from backends.ports.values import EdgeId, Fields, FieldSpec, Json, JsonObject, NodeId, Page, Revision, Scalar

Direction: TypeAlias = Literal["out", "in", "both"]
"""Seen from the node in question: `out` follows edges from source to target."""

MAX_SORT_KEYS = 4
"""As many as agent_graph's rank has; each makes the condition that continues a listing longer."""
MAX_GROUP_FIELDS = 3
"""An engine may store a count for each combination of values, and each field multiplies them."""
MAX_LISTINGS = 4
"""An engine may keep an index for each, which every write must update; kinds of tools have two at most."""
MAX_EQUAL_FIELDS = 2
"""Each makes the entries of a listing's index longer; listings of tools have one."""
MAX_HOPS = 10
"""The deepest walks and paths of tools, as documented; in a graph with hubs, walks of ten steps reach nearly all nodes."""
MAX_EXPANSION = 10_000
"""Edges or nodes in memory for one call; more are read in several calls, or reported as cut."""
MAX_STARTS = 256
"""The most nodes that one `expand` accepts."""


@dataclass(frozen=True, slots=True)
class Order:
    """A sort key: code-point order for text, false before true, missing last in either direction."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class ListingSpec:
    """A frequent listing: in this order, with a filter that has an `Eq` for each field of `equal`.

    It is a hint: an engine may keep an index for it, and `find` returns the same with and without it. An index serves one
    namespace and costs a little at every write, so it is of no use for kinds that exist in hundreds of namespaces.
    """

    order: tuple[Order, ...]
    """1 to 4 sort keys, as passed to `find`."""
    equal: tuple[str, ...] = ()
    """At most 2 fields flagged sort that are not among the sort keys."""


@dataclass(frozen=True, slots=True)
class KindSpec:
    """The declaration of a kind of node: its name and at most 16 fields."""

    name: str
    fields: tuple[FieldSpec, ...]
    totals: tuple[str, ...] = ()
    """At most 3 fields by which, or by some of which, its nodes are often counted: an engine may store these counts."""
    listings: tuple[ListingSpec, ...] = ()
    """At most 4 frequent listings."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: declared `fields` can be filtered and sorted by; `props` is JSON that is stored with it."""

    id: NodeId
    kind: str
    fields: Fields
    rev: Revision
    props: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge of a type, with a confidence from 0 to 1; a self-loop is allowed."""

    id: EdgeId
    source: NodeId
    target: NodeId
    type: str
    rev: Revision
    confidence: float = 1.0
    props: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """The changes of one `apply`; a deletion has the revision at which the record ended.

    If an id occurs twice, the highest revision wins (unlike in `Vectors.upsert`, where the last record does). At equal
    revisions the first record wins, and a record wins over a deletion.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    deleted_nodes: Mapping[NodeId, Revision] = field(default_factory=dict[NodeId, Revision])
    deleted_edges: Mapping[EdgeId, Revision] = field(default_factory=dict[EdgeId, Revision])


@dataclass(frozen=True, slots=True)
class Expansion:
    """One hop from several nodes: the edges of each node, and the nodes whose edges were limited."""

    edges: Mapping[NodeId, tuple[Edge, ...]]
    truncated: frozenset[NodeId]


@dataclass(frozen=True, slots=True)
class Step:
    """A node reached by a walk: its distance from the start, and the edge by which it was reached from `previous`.

    `confidence` is that of the whole path: the product of its edges' confidences, multiplied from the start.
    """

    node: NodeId
    depth: int
    edge: Edge
    previous: NodeId
    confidence: float


@dataclass(frozen=True, slots=True)
class Walk:
    """The nodes within reach, nearest first; `truncated` if `limit` cut some off."""

    steps: tuple[Step, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A path: one node more than edges; an edge may be followed against its direction if that was allowed."""

    nodes: tuple[NodeId, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """How many nodes share the values of the fields grouped by; None where the field is missing."""

    key: tuple[Scalar | None, ...]
    count: int


def check_group_field(name: str, specs: Mapping[str, FieldSpec]) -> FieldSpec:
    """Return the declared field to count by. Raises `InvalidInput` for an undeclared one and for a list."""
    spec = specs.get(name)
    if spec is None or spec.type == "strs":
        raise InvalidInput(f"cannot count by {name!r:.60}: no single-valued field of that name")
    return spec


class Graph(Protocol):
    """A graph in one namespace. No answer contains a deleted node or its edges, until a higher revision revives the node.

    Every method raises `InvalidInput` for a broken rule, `Unavailable` if the store does not answer and `Timeout` if it
    takes too long. Every later call sees what `apply` acknowledged.
    """

    @property
    def conditional_writes(self) -> bool:
        """Whether the engine itself rejects older revisions, as `Capabilities` says; if not, only one process may write."""
        ...

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds; a declaration may be repeated, and may add fields. Raises `Conflict` for a changed type."""
        ...

    async def apply(self, batch: GraphBatch) -> None:
        """Apply the whole batch or nothing; records whose stored revision is not lower are silently skipped.

        Nodes and edges fully replace what was stored under their id. A deletion leaves a tombstone with id and revision.
        Both ends of an edge must be known, in the store (a deleted node counts) or in the batch. Raises `NotFound` with
        the missing ids otherwise. Source: graph:apply.
        """
        ...

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Return the live nodes among `ids`."""
        ...

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Return the edges among `ids` that are live and have both ends live."""
        ...

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Return the stored revision of each known id, deleted ones included."""
        ...

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Return the stored revision of each known id, deleted ones included."""
        ...

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        """Return live nodes of `kind` that match, by at most 4 sort keys and then by id ascending.

        `limit` is 1 to 1,000. The cursor contains the last item's sort keys and id, so a listing continues where it stopped
        even if records are added or removed. Source: graph:find.
        """
        ...

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """Return all visible edges by id ascending; `limit` is 1 to 1,000."""
        ...

    async def expand(
        self,
        ids: Collection[NodeId],
        *,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit_per_node: int = 256,
    ) -> Expansion:
        """Return the edges of each live node of `ids` (at most 256), by confidence descending, other end's id, edge id.

        `limit_per_node` is 1 to 10,000. A self-loop appears once. `types` None means all. Source: graph:expand.
        """
        ...

    async def walk(
        self,
        start: NodeId,
        *,
        max_depth: int,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit: int = 1_000,
    ) -> Walk:
        """Return each live node within `max_depth` (1 to 10) hops of `start` once, at its shortest distance, without `start`.

        A node is reached along its most confident shortest path (product of confidences, then the
        smallest edge ids). Steps come by depth ascending, that confidence descending, node id; beyond
        `limit` (1 to 10,000) they are cut and `truncated` says so. Source: graph:walk.
        """
        ...

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> GraphPath | None:
        """Return a shortest path within `max_hops` (1 to 10), None if there is none.

        Among the shortest paths it is the one with the most edges followed forward, then with the smallest edge ids in
        sequence. A live source that is also the target gives a path of one node. Source: graph:path.
        """
        ...

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Count live nodes of `kind` per combination of at most 3 fields, by key with missing last; without `by`, one group."""
        ...

    async def count_edges(self) -> Mapping[str, int]:
        """Count visible edges per type."""
        ...

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value kept with the store, None if there is none."""
        ...

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value and return the one now in effect. With `if_absent` the first writer wins among all processes."""
        ...

    async def drop(self) -> None:
        """Remove everything in this namespace, meta values and declarations included; repeatable."""
        ...
