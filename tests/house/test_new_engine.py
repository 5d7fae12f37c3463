"""A further engine is its folder, a line in the registry, an extra and a page: nothing else is edited."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = "memgraph"
SOURCE = ROOT / "tests" / "e2e" / "adapter" / ENGINE
"""A graph in memory that a test installs as a third party's adapter; here it is shipped like the others."""
FOLDER = Path("backends") / "engines" / ENGINE
LINE = f'        _BuiltIn("{ENGINE}", "backends.engines.{ENGINE}.adapter:ADAPTER", "{ENGINE}"),\n'
BEFORE = '        _BuiltIn("minilm"'
EDITED = {"backends/registry.py", "pyproject.toml"}


def tracked() -> list[str]:
    """Return the files that belong to the repository; leave the test out where there is none."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("needs git and the repository")
    return [name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, f"{before!r} occurs once in {path.name}"
    path.write_text(text.replace(before, after), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a copy of the repository to which the engine was added."""
    root = tmp_path_factory.mktemp("repository") / "entrepot"
    for name in tracked():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, root / name)
    shutil.copytree(SOURCE, root / FOLDER, ignore=shutil.ignore_patterns("__pycache__"))
    edit(root / "backends" / "registry.py", BEFORE, LINE + BEFORE)
    edit(root / "pyproject.toml", "neo4j = [", f'{ENGINE} = ["orjson>=3.10"]\nneo4j = [')
    (root / "docs" / "adapters" / f"{ENGINE}.md").write_text("# A graph in memory\n", encoding="utf-8")
    yield root
    shutil.rmtree(root)


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, whose packages come before the installed ones."""
    environment = {"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False
    )


def test_the_registry_loads_it_by_name(copy: Path) -> None:
    done = run(copy, "-c", f"from backends.registry import load_adapter; print(load_adapter({ENGINE!r}).__module__)")
    assert done.stdout.strip() == f"backends.engines.{ENGINE}.adapter", done.stderr


def test_the_import_rules_hold_without_an_edit(copy: Path) -> None:
    pytest.importorskip("importlinter", reason="needs import-linter")
    done = run(copy, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")
    assert done.returncode == 0, done.stdout[-2_000:]
    assert "0 broken" in done.stdout


def test_the_port_suite_runs_against_it(copy: Path) -> None:
    suite = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "contracts.plugin", "--backend", ENGINE)
    collected = run(copy, *suite, "--collect-only", "contracts/ports")
    assert collected.returncode == 0, collected.stdout[-2_000:]
    assert "test_graph_walks.py" in collected.stdout, collected.stdout[-2_000:]
    assert "test_vectors_search.py" not in collected.stdout, "a port that is not offered is left out"
    done = run(copy, *suite, "contracts/ports/test_graph_revisions.py")
    assert done.returncode == 0, done.stdout[-2_000:]


def test_nothing_else_was_edited(copy: Path) -> None:
    before = {name: (ROOT / name).read_bytes() for name in tracked()}
    after = {
        str(path.relative_to(copy)): path.read_bytes()
        for path in copy.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and ".import_linter_cache" not in path.parts
    }
    assert {name for name in before if after.get(name) != before[name]} == EDITED
    assert after.keys() - before.keys() == {
        f"docs/adapters/{ENGINE}.md",
        *(str(FOLDER / path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")),
    }
