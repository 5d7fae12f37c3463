"""Run the tool suites on every combination of a graph, a vector store and an event log, and print which hold.

python -m tests.pairs [PYTEST_ARGS...]      real servers are started as by tests.services

As many combinations run at once as there are cores; a line is printed as each of them ends.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from tests.services.catalogue import Variables, all_running

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

    def run(self, more: list[str], variables: Variables) -> subprocess.CompletedProcess[bytes]:
        """Run the suite on it; `variables` say how to reach the servers."""
        driver = {"ENTREPOT_TEST_KUZU_DRIVER": "ladybug" if self.graph == "ladybug" else "kuzu"}
        return subprocess.run(
            self.command(more), env={**os.environ, **variables, **driver}, capture_output=True, check=False
        )


def main(more: list[str]) -> int:
    """Run them all; return 1 when one of them fails."""
    failed = 0
    choices = itertools.starmap(Choice, itertools.product(GRAPHS, VECTORS, EVENTS))
    with (
        tempfile.TemporaryDirectory() as folder,
        all_running(SERVICES, Path(folder)) as variables,
        ThreadPoolExecutor(os.cpu_count()) as threads,
    ):
        running = {threads.submit(choice.run, more, variables): choice for choice in choices}
        for ended in as_completed(running):
            done = ended.result()
            counts = _COUNTS.findall(done.stdout)
            print(f"{running[ended].name:32}  {counts[-1].decode() if counts else 'did not run'}", flush=True)
            if done.returncode:
                failed = 1
                sys.stderr.buffer.write(done.stdout[-4_000:] + done.stderr[-2_000:])
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
