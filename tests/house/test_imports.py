"""Choosing an adapter imports that one and its driver, no other; our own packages import no driver."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from backends.registry import adapter_names

DRIVERS = {
    "chroma": {"chromadb"},
    "kuzu": {"kuzu", "ladybug"},
    "lancedb": {"lancedb"},
    "minilm": {"onnxruntime"},
    "neo4j": {"neo4j"},
    "openai_compatible": set[str](),
    "postgres": {"psycopg"},
    "sentence_transformers": {"sentence_transformers"},
    "sqlite": set[str](),
}
AT_OPENING = {"kuzu"}
"""Adapters that import their driver when they are opened, because a setting chooses it."""
HEAVY = {"mcp", "numpy", "onnxruntime", "platformdirs", "pydantic_settings", "rich"}


def modules_after(statement: str) -> set[str]:
    listing = "import sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", f"{statement}\n{listing}"], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("chosen", sorted(DRIVERS))
def test_choosing_one_adapter_imports_no_other(chosen: str) -> None:
    if chosen not in AT_OPENING and not all(find_spec(driver) for driver in DRIVERS[chosen]):
        pytest.skip(f"the driver of {chosen} is not installed")
    loaded = modules_after(f"from backends.registry import load_adapter; load_adapter({chosen!r})")
    others = {name for name in adapter_names() if name != chosen}
    assert f"backends.{chosen}" in loaded
    assert not {f"backends.{other}" for other in others} & loaded
    assert not {driver for other in others for driver in DRIVERS.get(other, ())} & loaded


@pytest.mark.parametrize(
    "package",
    [
        "backends.opening",
        "config.sources",
        "gateway.cli.serve",
        "gateway.serving",
        "toolsets.agent_graph.plugin",
        "toolsets.knowledge.plugin",
        "toolsets.memory.plugin",
    ],
)
def test_importing_a_package_imports_nothing_heavy(package: str) -> None:
    assert not HEAVY & modules_after(f"import {package}")
