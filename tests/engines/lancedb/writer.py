"""Writes records one by one and prints each acknowledgement.

python -m tests.engines.lancedb.writer DIRECTORY SEED COUNT IDS REVISIONS
"""

import asyncio
import sys
from pathlib import Path

from backends.ports.values import Revision
from contracts.corpus import seeded
from contracts.ports.vector_records import NAME, THINGS, axis, record
from tests.engines.lancedb.tables import opened


async def write(directory: Path, seed: int, count: int, ids: int, revisions: int) -> None:
    """Upsert records with random ids and revisions; print `id revision` after each."""
    rng = seeded(seed)
    async with opened(directory) as vectors:
        await vectors.ensure(THINGS)
        for _ in range(count):
            name, rev = f"r{rng.randrange(ids)}", rng.randrange(1, revisions + 1)
            await vectors.upsert(NAME, [record(name, axis(0), f"revision {rev}", rank=rev, rev=Revision(rev))])
            print(name, rev, flush=True)


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), *map(int, sys.argv[2:])))
