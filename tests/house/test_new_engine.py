"""A further engine is its folder, a line in the registry, an extra and a page: nothing else is edited."""

import re
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
EXTRA = f'{ENGINE} = ["gqlalchemy>=1.6"]\n'
"""A driver that nothing else needs: constraints.txt has no version of it."""
EDITED = {"backends/registry.py", "pyproject.toml"}
LISTING = ("tests/docs/test_generated.py", "tests/house/test_constraints.py", "tests/unit/backends/test_stores.py")
"""The tests that compare lists with the registry or the extras; of the generated pages, those that name engines."""
HOUSE = "tests/house/test_layout.py"
GUIDE = ROOT / "docs" / "adapters" / "writing.md"

COMPLETE = "return {key: self._state.edges[key].rev for key in ids if key in self._state.edges}"
LACKING = 'raise Unsupported("edges have no revisions")'
GAP = """
KNOWN_GAPS = (
    KnownGap(
        promise="graph:revisions:read",
        kind="notimpl",
        error=Unsupported,
        reason="the revisions of edges cannot be read",
        link="docs/adapters/memgraph.md",
    ),
)
"""
"""Declares the one promise that the shipped engine does not keep, as most shipped engines declare some."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a copy of the repository to which the engine was added."""
    root = tmp_path_factory.mktemp("repository") / "entrepot"
    copy_to(root)
    shutil.copytree(SOURCE, root / FOLDER, ignore=shutil.ignore_patterns("__pycache__"))
    _remove_edge_revisions(root / FOLDER)
    edit(root / "backends" / "registry.py", BEFORE, LINE + BEFORE)
    edit(root / "pyproject.toml", "neo4j = [", EXTRA + "neo4j = [")
    (root / "docs" / "adapters" / f"{ENGINE}.md").write_text("# A graph in memory\n", encoding="utf-8")
    yield root
    shutil.rmtree(root)


def _remove_edge_revisions(folder: Path) -> None:
    """Give the engine a gap, and declare it."""
    edit(folder / "graph.py", COMPLETE, LACKING)
    errors = "from backends.ports.errors import "
    edit(folder / "graph.py", "from backends.ports.filters", f"{errors}Unsupported\nfrom backends.ports.filters")
    edit(folder / "adapter.py", f"{errors}AlreadyOpen, Unavailable", f"{errors}AlreadyOpen, Unavailable, Unsupported")
    gaps = "from backends.ports.gaps import KnownGap"
    edit(folder / "adapter.py", "from backends.ports.options", f"{gaps}\nfrom backends.ports.options")
    with (folder / "adapter.py").open("a", encoding="utf-8") as file:
        file.write(GAP)


def test_the_broken_import_rules_without_an_edit(copy: Path) -> None:
    assert broken_import_rules(copy) == ""


def test_the_port_suite_and_the_tests_that_list_engines_pass(copy: Path) -> None:
    """One run, because starting one costs more than its tests."""
    suite = ("-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "contracts.plugin", "--backend", ENGINE)
    ports = (f"contracts/ports/{name}.py" for name in ("test_graph_revisions", "test_vectors_search"))
    done = run(copy, *suite, *ports, *LISTING, HOUSE, "-k", "not the_reference_is")
    assert done.returncode == 0, done.stdout[-2_000:]
    ran = {line.partition("::")[0] for line in done.stdout.splitlines() if "PASSED" in line}
    assert ran == {"contracts/ports/test_graph_revisions.py", *LISTING, HOUSE}, "a port that is not offered is left out"
    assert "1 xfailed" in done.stdout, "the declared gap"


def test_the_guides_example_passes_the_lint_of_shipped_engines(copy: Path) -> None:
    pytest.importorskip("ruff", reason="needs ruff")
    (example,) = re.findall(r"```python\n(\"\"\"Wordbag.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    folder = copy.parent / "example" / "backends" / "engines" / "wordbag"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""Wordbag."""\n', encoding="utf-8")
    (folder / "adapter.py").write_text(example, encoding="utf-8")
    lint = ("-m", "ruff", "check", "--no-cache", "--config", str(copy / "pyproject.toml"))
    done = run(copy, *lint, str(folder))
    assert done.returncode == 0, done.stdout


def test_nothing_else_was_edited(copy: Path) -> None:
    edited, added = changes(copy)
    assert edited == EDITED
    assert added == {
        f"docs/adapters/{ENGINE}.md",
        *(str(FOLDER / path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")),
    }
