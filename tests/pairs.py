"""Run the tool suites on every combination of a graph, a vector store and an event log, and print which hold.

python -m tests.pairs [PYTEST_ARGS...]      real servers are started as by tests.services
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.services.catalogue import all_running

GRAPHS = ("sqlite", "kuzu", "ladybug", "neo4j")
VECTORS = ("sqlite", "lancedb", "chroma", "neo4j")
EVENTS = ("sqlite", "postgres")
SERVICES = ("neo4j", "postgres")
_COUNTS = re.compile(rb"\d+ (?:passed|failed|errors?)\b[^\n]*in [^\n]*s")


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine for each port; Kuzu's fork is the same adapter with another driver."""

    graph: str
    vectors: str
    events: str

    @property
    def name(self) -> str:
        """How it is called in the table."""
        return f"{self.graph} + {self.vectors} + {self.events}"

    def command(self, more: list[str]) -> list[str]:
        """Return the run of the contract suite on it, over one transport."""
        graph = "kuzu" if self.graph == "ladybug" else self.graph
        chosen = (f"graph={graph}", f"vectors={self.vectors}", f"events={self.events}")
        engines = [word for choice in chosen for word in ("--engine", choice)]
        return ["entrepot", "contracts", "--", "--suite", "tools", "--transport", "http", "-q", *engines, *more]

    def environment(self) -> dict[str, str]:
        """Return what the driver of the graph is."""
        return {"ENTREPOT_TEST_KUZU_DRIVER": "ladybug" if self.graph == "ladybug" else "kuzu"}


def main(more: list[str]) -> int:
    """Run them one after the other; return 1 when one of them fails."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder, all_running(SERVICES, Path(folder)) as variables:
        for choice in itertools.starmap(Choice, itertools.product(GRAPHS, VECTORS, EVENTS)):
            environment = {**os.environ, **variables, **choice.environment()}
            done = subprocess.run(choice.command(more), env=environment, capture_output=True, check=False)
            counts = _COUNTS.findall(done.stdout)
            print(f"{choice.name:32}  {counts[-1].decode() if counts else 'did not run'}", flush=True)
            if done.returncode:
                failed = 1
                sys.stderr.buffer.write(done.stdout[-4_000:] + done.stderr[-2_000:])
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
