"""False claims of durability and of processes are found out by second processes."""

import json
from pathlib import Path

import pytest

import contracts

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


def outcomes(pytester: pytest.Pytester, claims: str, found: str = "ADAPTER") -> dict[str, str]:
    """Return the outcome of each promise about durability and processes."""
    pytester.makepyfile(claiming=IN_MEMORY.replace("CLAIMS", claims).replace("FOUND", found))
    pytester.syspathinsert()
    pytester.syspathinsert(ADAPTER)
    ini, report = pytester.makeini("[pytest]\nanyio_mode = auto\n"), pytester.path / "report.json"
    plugins = ["-p", "contracts.plugin", "-p", "claiming", "-p", "no:cacheprovider"]
    suite = Path(contracts.__file__).parent / "ports" / "test_capabilities.py"
    pytester.runpytest_inprocess("-c", ini, *plugins, "--report", report, suite)
    promises = json.loads(report.read_text())["promises"]
    return {name.removeprefix("engine:"): str(row["memgraph"]) for name, row in promises.items() if "memgraph" in row}


@pytest.mark.parametrize(
    ("claims", "kept"),
    [
        ('durable="process"', {"durable:process": "failed", "processes:one": "failed"}),
        ('durable="fsync"', {"durable:process": "failed", "durable:fsync": "failed", "processes:one": "failed"}),
        ('durable="none", processes="many"', {"processes:many": "failed"}),
        ('durable="none"', {}),
    ],
)
def test_what_a_store_in_memory_claims_is_tried(pytester: pytest.Pytester, claims: str, kept: dict[str, str]) -> None:
    every = ("durable:fsync", "durable:process", "processes:many", "processes:one")
    assert outcomes(pytester, claims) == {name: kept.get(name, "unsupported") for name in every}


def test_an_adapter_that_another_process_cannot_make_is_shown_as_claiming(pytester: pytest.Pytester) -> None:
    found = outcomes(pytester, 'durable="process"', 'type("Local", (Claiming,), {"__module__": "claiming"})()')
    assert found["durable:process"] == "claimed"
    assert found["processes:one"] == "claimed"
