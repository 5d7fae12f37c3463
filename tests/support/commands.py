"""Commands as an operator gives them, beside running servers."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess

from backends.ports.values import JsonObject
from tests.support.processes import Command, run

REBUILD_S = 240.0
"""After which a rebuild is ended: it writes every record once more, and the processor may be shared by several runs."""


async def entrepot(
    *words: str, variables: Mapping[str, str] | None = None, patience_s: float = 60
) -> CompletedProcess[str]:
    """Return how the command ended and what it said; servers are served meanwhile."""
    return await asyncio.to_thread(run, Command(words, {**os.environ, **(variables or {})}), "", patience_s)


async def rebuild(data: Path, *more: str, variables: Mapping[str, str] | None = None) -> JsonObject:
    """Rebuild a data directory; return the report."""
    words = ("rebuild", "--json", "--data-dir", str(data), *more)
    done = await entrepot(*words, variables=variables, patience_s=REBUILD_S)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
