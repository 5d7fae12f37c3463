"""A further engine is its folder, a line in the registry, an extra and a page: nothing else is edited."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.copies import ROOT, broken_import_rules, changes, copy_to, edit, run

ENGINE = "memgraph"
SOURCE = ROOT / "tests" / "e2e" / "adapter" / ENGINE
"""A graph in memory that a test installs as a third party's adapter; here it is shipped like the others."""
FOLDER = Path("backends") / "engines" / ENGINE
LINE = f'        _BuiltIn("{ENGINE}", "backends.engines.{ENGINE}.adapter:ADAPTER", "{ENGINE}"),\n'
BEFORE = '        _BuiltIn("minilm"'
EDITED = {"backends/registry.py", "pyproject.toml"}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a copy of the repository to which the engine was added."""
    root = tmp_path_factory.mktemp("repository") / "entrepot"
    copy_to(root)
    shutil.copytree(SOURCE, root / FOLDER, ignore=shutil.ignore_patterns("__pycache__"))
    edit(root / "backends" / "registry.py", BEFORE, LINE + BEFORE)
    edit(root / "pyproject.toml", "neo4j = [", f'{ENGINE} = ["orjson>=3.10"]\nneo4j = [')
    (root / "docs" / "adapters" / f"{ENGINE}.md").write_text("# A graph in memory\n", encoding="utf-8")
    yield root
    shutil.rmtree(root)


def test_the_registry_loads_it_by_name(copy: Path) -> None:
    done = run(copy, "-c", f"from backends.registry import load_adapter; print(load_adapter({ENGINE!r}).__module__)")
    assert done.stdout.strip() == f"backends.engines.{ENGINE}.adapter", done.stderr


def test_the_broken_import_rules_without_an_edit(copy: Path) -> None:
    assert broken_import_rules(copy) == ""


def test_the_port_suite_runs_against_it(copy: Path) -> None:
    suite = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "contracts.plugin", "--backend", ENGINE)
    collected = run(copy, *suite, "--collect-only", "contracts/ports")
    assert collected.returncode == 0, collected.stdout[-2_000:]
    assert "test_graph_walks.py" in collected.stdout, collected.stdout[-2_000:]
    assert "test_vectors_search.py" not in collected.stdout, "a port that is not offered is left out"
    done = run(copy, *suite, "contracts/ports/test_graph_revisions.py")
    assert done.returncode == 0, done.stdout[-2_000:]


def test_nothing_else_was_edited(copy: Path) -> None:
    edited, added = changes(copy)
    assert edited == EDITED
    assert added == {
        f"docs/adapters/{ENGINE}.md",
        *(str(FOLDER / path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")),
    }
