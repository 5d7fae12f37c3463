"""Opens a file in another process: `opener.py DIRECTORY DRIVER [burst]`. Prints the outcome."""

import asyncio
import sys
from pathlib import Path

from backends.engines.kuzu.adapter import ADAPTER
from backends.ports.errors import StoreError
from backends.ports.graph import Graph, GraphBatch, KindSpec, Node
from backends.ports.values import FieldSpec, Namespace, NodeId, Revision


async def burst(graph: Graph) -> None:
    """Store nodes until killed; print each acknowledged number."""
    await graph.ensure([KindSpec("thing", (FieldSpec("rank", "int", sort=True),))])
    number = 0
    while True:
        await graph.apply(GraphBatch((Node(NodeId(f"n{number}"), "thing", {"rank": number}, Revision(1)),)))
        print(number, flush=True)
        number += 1


async def main(directory: Path, driver: str, *, writing: bool) -> None:
    """Open the file, and write if asked to."""
    try:
        engine = await ADAPTER.open({"driver": driver}, directory)
    except StoreError as error:
        print(f"{error.code}: {error}", flush=True)
        return
    if writing:
        await burst(await engine.graph(Namespace("space")))
    await engine.close()
    print("opened", flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], writing="burst" in sys.argv))
