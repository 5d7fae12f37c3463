"""False claims of durability and of processes are found out by second processes."""

import json
from pathlib import Path

import numpy
import pytest

import contracts

assert numpy.ndarray, "pytester forgets what is imported in a run, and numpy cannot be imported twice"
pytest_plugins = ["pytester"]

ADAPTER = Path(__file__).parents[4] / "tests" / "e2e" / "adapter"

IN_MEMORY = """
import pytest

from backends.ports.capabilities import Capabilities
from memgraph.adapter import MemoryAdapter


class Claiming(MemoryAdapter):
    capabilities = Capabilities(ports=frozenset({"graph"}), conditional_writes=True, CLAIMS)


ADAPTER = Claiming()


@pytest.fixture(scope="session")
def adapter_under_test():
    return FOUND, {}
"""
"""A graph that lives in the memory of its process, whatever it claims."""

FORGOTTEN = """
import tempfile
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER as SQLITE
from backends.ports.capabilities import Capabilities

PLACES = {}


class Claiming:
    name = "memgraph"
    settings = SQLITE.settings
    capabilities = Capabilities(ports=frozenset({"vectors", "events"}), conditional_writes=True, exact_dense=True, CLAIMS)

    async def open(self, options, directory):
        if directory not in PLACES:
            PLACES[directory] = Path(tempfile.mkdtemp(dir=directory))
        return await SQLITE.open(options, PLACES[directory])


ADAPTER = Claiming()


@pytest.fixture(scope="session")
def adapter_under_test():
    return ADAPTER, {}
"""
"""Vectors and an event log in a place that only their process knows, which is as good as its memory."""


def run(pytester: pytest.Pytester, source: str) -> tuple[dict[str, str], int]:
    """Return the outcome of each promise about durability and processes, and how many tests failed."""
    pytester.makepyfile(claiming=source)
    pytester.syspathinsert()
    pytester.syspathinsert(ADAPTER)
    ini, report = pytester.makeini("[pytest]\nanyio_mode = auto\n"), pytester.path / "report.json"
    plugins = ["-p", "contracts.plugin", "-p", "claiming", "-p", "no:cacheprovider"]
    suite = Path(contracts.__file__).parent / "ports" / "test_capabilities.py"
    ran = pytester.runpytest_inprocess("-c", ini, *plugins, "--report", report, suite)
    promises = json.loads(report.read_text())["promises"]
    found = {name.removeprefix("engine:"): str(row["memgraph"]) for name, row in promises.items() if "memgraph" in row}
    return found, ran.parseoutcomes().get("failed", 0)


def outcomes(pytester: pytest.Pytester, claims: str, found: str = "ADAPTER") -> dict[str, str]:
    """Return the outcomes for a graph in memory."""
    return run(pytester, IN_MEMORY.replace("CLAIMS", claims).replace("FOUND", found))[0]


@pytest.mark.parametrize(
    ("claims", "kept"),
    [
        ('durable="process"', {"durable:process": "failed", "processes:one": "failed"}),
        ('durable="none", processes="many"', {"processes:many": "failed"}),
        ('durable="none"', {}),
    ],
)
def test_what_a_store_in_memory_claims_is_tried(pytester: pytest.Pytester, claims: str, kept: dict[str, str]) -> None:
    every = ("durable:fsync", "durable:process", "processes:many", "processes:one")
    assert outcomes(pytester, claims) == {name: kept.get(name, "unsupported") for name in every}


@pytest.mark.parametrize(
    ("claims", "broken"),
    [
        ('durable="fsync"', {"durable:process", "durable:fsync", "processes:one"}),
        ('durable="none", processes="many"', {"processes:many"}),
    ],
)
def test_what_vectors_and_a_log_in_memory_claim_is_tried_for_each(
    pytester: pytest.Pytester, claims: str, broken: set[str]
) -> None:
    found, failed = run(pytester, FORGOTTEN.replace("CLAIMS", claims))
    assert {name for name, outcome in found.items() if outcome == "failed"} == broken
    assert failed == 2 * len(broken), "a test for each of the two ports"


def test_an_adapter_that_another_process_cannot_make_is_shown_as_claiming(pytester: pytest.Pytester) -> None:
    found = outcomes(pytester, 'durable="process"', 'type("Local", (Claiming,), {"__module__": "claiming"})()')
    assert found["durable:process"] == "claimed"
    assert found["processes:one"] == "claimed"
