"""The arguments of `find` and `dense` as dataclasses, for adapters that pass them on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from backends.ports.filters import Filter
from backends.ports.graph import Order

if TYPE_CHECKING:
    from backends.ports.vectors import Vector


WhereT = TypeVar("WhereT")


@dataclass(frozen=True, slots=True)
class FindQuery:
    """The arguments of `Graph.find`, with the namespace."""

    namespace: str
    kind: str
    where: Filter | None
    order: Sequence[Order]
    after: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class DenseQuery(Generic[WhereT]):
    """The arguments of `Vectors.dense`; `vector` has unit norm and the collection's length, `where` is the engine's filter."""

    vector: "Vector"
    k: int
    where: WhereT
    min_score: float | None
