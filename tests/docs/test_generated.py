"""Generated pages are those that the present code generates."""

import json
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from backends.registry import adapter_names
from config.sources import profiles
from contracts.promises import manifest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def generator(name: str) -> ModuleType:
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_what_the_server_publishes() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "gateway.cli.main", "tools", "--json"], capture_output=True, text=True, check=True
    )
    page = DOCS / "tools" / "reference.md"
    assert page.read_text(encoding="utf-8") == generator("generate").page(listed.stdout), "run: nox -s docs"


def test_the_page_of_categories_has_the_shipped_ones() -> None:
    generate = generator("generate")
    page = (DOCS / "tools" / "categories.md").read_text(encoding="utf-8")
    assert page == generate.categories(generate.TAXONOMY.read_text(encoding="utf-8")), "run: nox -s docs"


def figures() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = json.loads((DOCS / "support.json").read_text(encoding="utf-8"))
    return found


def test_the_support_matrix_shows_its_figures() -> None:
    page = (DOCS / "support.md").read_text(encoding="utf-8")
    assert page == generator("support").page(figures()), "run: nox -s docs"


def test_the_support_matrix_has_every_promise_of_the_suite_kept_or_explained() -> None:
    promised = {name for name, entry in manifest().items() if entry.proved_by == "suite"}
    # The profiles' own tests, which report too, also prove some that the suite does not.
    assert promised <= set(figures()["promises"]) <= set(manifest()), "run: tox, then nox -s docs"
    outcomes = {outcome for row in figures()["promises"].values() for outcome in row.values()}
    assert outcomes <= {"passed", "gap", "claimed", "unsupported"}


def engines_of_tox() -> set[str]:
    """Return the engines on which an environment of tox.ini runs the contract suite."""
    return {*re.findall(r"--backend (\w+)", (DOCS.parent / "tox.ini").read_text(encoding="utf-8"))}


def test_the_support_matrix_has_every_tested_engine_and_every_profile() -> None:
    columns = {*engines_of_tox(), *(f"profile {name}" for name in profiles())}
    assert columns <= {*figures()["runs"]}, "run: tox, then nox -s docs"
    assert engines_of_tox() <= {*adapter_names()}
