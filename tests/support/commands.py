"""Commands as an operator gives them, beside running servers."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess

from backends.ports.values import JsonObject
from tests.support.processes import Command, run


async def entrepot(
    *words: str, variables: Mapping[str, str] | None = None, patience_s: float = 60
) -> CompletedProcess[str]:
    """Return how the command ended and what it said; servers are served meanwhile."""
    return await asyncio.to_thread(run, Command(words, {**os.environ, **(variables or {})}), "", patience_s)


async def rebuild(data: Path, *more: str, variables: Mapping[str, str] | None = None) -> JsonObject:
    """Rebuild a data directory; return the report."""
    done = await entrepot("rebuild", "--json", "--data-dir", str(data), *more, variables=variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
