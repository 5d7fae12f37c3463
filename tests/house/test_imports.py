"""Choosing an adapter imports that one and its driver, no other; our own packages import no driver."""

import re
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions, requires

import pytest

from backends.registry import adapter_names, extra_of
from tests.house.modules import ROOT

ENGINES = [name for name in adapter_names() if (ROOT / "backends" / "engines" / name).is_dir()]
IN_CORE = {"minilm": {"onnxruntime"}}
"""Drivers that every installation has."""
NAME = re.compile(r"[A-Za-z0-9_.-]+")
HEAVY = {"mcp", "numpy", "onnxruntime", "platformdirs", "pydantic_settings", "rich"}


owners_of_packages = cache(packages_distributions)  # it reads the files of every installed distribution


def drivers(engine: str) -> set[str]:
    """Return the packages that the engine's extra installs, as they are imported; none of what is not installed."""
    extra = extra_of(engine)
    if extra is None:
        return set(IN_CORE.get(engine, ()))
    marker = f'extra == "{extra}"'
    wanted = {
        NAME.match(line).group().lower()  # pyright: ignore[reportOptionalMemberAccess]  # each line begins with a name
        for line in requires("entrepot") or ()
        if line.replace("'", '"').endswith(marker)
    }
    return {package for package, owners in owners_of_packages().items() if wanted & {*map(str.lower, owners)}}


def modules_after(statement: str) -> set[str]:
    listing = "import sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", f"{statement}\n{listing}"], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("chosen", ENGINES)
def test_choosing_one_adapter_imports_no_other(chosen: str) -> None:
    attempt = (
        "from backends.ports.errors import InvalidInput\n"
        "from backends.registry import load_adapter\n"
        f"try: load_adapter({chosen!r})\n"
        "except InvalidInput: print('absent')"
    )
    loaded = modules_after(attempt)
    if "absent" in loaded:
        pytest.skip(f"the driver of {chosen} is not installed")
    others = {name for name in ENGINES if name != chosen}
    assert f"backends.engines.{chosen}" in loaded
    assert not {f"backends.engines.{other}" for other in others} & loaded
    assert not {driver for other in others for driver in drivers(other)} & loaded


@pytest.mark.parametrize(
    "package",
    [
        "backends.kit.cosine",
        "backends.ports.checked",
        "backends.stores",
        "config.sources",
        "gateway.cli.serve",
        "gateway.server",
        "toolsets.agent_graph.plugin",
        "toolsets.knowledge.plugin",
        "toolsets.memory.plugin",
    ],
)
def test_importing_a_package_imports_nothing_heavy(package: str) -> None:
    assert not HEAVY & modules_after(f"import {package}")
