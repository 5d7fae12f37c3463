"""How long looking for like names takes: names of Debian's packages, and families of names that are all alike.

Run `python -m tests.bench.duplicates`.
"""

import subprocess
import time
from collections.abc import Sequence
from itertools import product

from toolsets.agent_graph.duplicates.model import Named
from toolsets.agent_graph.duplicates.pairs import find_pairs

SIZES = (1_000, 10_000, 50_000)
THRESHOLD, MOST_PAIRS = 0.8, 500


def packages() -> list[str]:
    """Return the names of all packages that the machine's package lists have."""
    told = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True)
    return sorted(told.stdout.split())


def families(size: int) -> list[str]:
    """Return persons' names that differ in the last letters only."""
    endings = ("".join(letters) for letters in product("abcdefghijklmnopqrstuvwxyz", repeat=3))
    return [f"{first}{ending}" for ending in endings for first in ("Alan Smith", "Brian Jones", "Carol Baker")][:size]


def seconds(names: Sequence[str]) -> float:
    """Return how long the pairs of some names take."""
    entities = [Named(str(place), "technology", (name,)) for place, name in enumerate(names)]
    start = time.perf_counter()
    find_pairs(entities, threshold=THRESHOLD, limit=MOST_PAIRS)
    return time.perf_counter() - start


def main() -> None:
    """Print a line for each size."""
    real = packages()
    for size in SIZES:
        print(f"{size:>6} names: packages {seconds(real[:size]):6.2f} s, families {seconds(families(size)):6.2f} s")


if __name__ == "__main__":
    main()
