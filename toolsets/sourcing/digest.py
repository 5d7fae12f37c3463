"""Digests: one hash over all that a generation holds, without revisions and floats, so that two can be compared."""

import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

from backends.ports.values import Json
from toolsets.sourcing.projection import Projector
from toolsets.sourcing.targets import GraphTarget, VectorsTarget

_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a generation holds: how many live records of each sort, and the digest of all."""

    nodes: int
    edges: int
    vectors: int
    digest: str


async def holdings(projector: Projector, graph: GraphTarget, vectors: VectorsTarget | None) -> Holdings:
    """Return what a generation holds; its stores are read whole, a page at a time."""
    sha256 = hashlib.sha256()
    counts = [0, 0, 0]
    for index, records in enumerate((_nodes(projector, graph), _edges(graph), _passages(vectors))):
        async for record in records:
            line = json.dumps(record, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
            sha256.update(line.encode() + b"\n")
            counts[index] += 1
    return Holdings(counts[0], counts[1], counts[2], sha256.hexdigest())


async def _nodes(projector: Projector, target: GraphTarget) -> AsyncIterator[Json]:
    for kind in sorted(kind.name for kind in projector.kinds):
        after: str | None = None
        while True:
            page = await target.graph.find(kind, after=after, limit=_PAGE)
            for node in page.items:
                yield {"node": node.id, "kind": node.kind, "fields": dict(node.fields), "props": dict(node.props)}
            if (after := page.after) is None:
                break


async def _edges(target: GraphTarget) -> AsyncIterator[Json]:
    after: str | None = None
    while True:
        page = await target.graph.scan_edges(after=after, limit=_PAGE)
        for edge in page.items:
            ends: list[Json] = [edge.source, edge.target, edge.type]
            yield {"edge": edge.id, "ends": ends, "confidence": repr(edge.confidence), "props": dict(edge.props)}
        if (after := page.after) is None:
            return


async def _passages(target: VectorsTarget | None) -> AsyncIterator[Json]:
    if target is None:
        return
    after: str | None = None
    model = str(target.embedder.identity)
    while True:
        page = await target.vectors.scan(target.collection, after=after, limit=_PAGE)
        for record in page.items:
            yield {"passage": record.id, "text": record.text_hash, "fields": dict(record.fields), "model": model}
        if (after := page.after) is None:
            return
