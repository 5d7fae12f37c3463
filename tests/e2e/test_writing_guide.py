"""The guide for authors of toolsets: its blocks are one module, which runs and keeps its promises as it stands there."""

import os
import re
import shlex

import pytest

from tests.e2e.probe import NO_OTHERS, ROOT, Home
from tests.support.processes import PACKAGES
from tests.support.skeletons import installed, own_tests

GUIDE = (ROOT / "docs" / "toolsets" / "writing.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the guide's blocks of code in a language."""
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def test_the_package_that_the_guide_begins_with_passes_its_tests(home: Home) -> None:
    [begin] = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("entrepot new ")]
    made = home.run(*begin.split()[1:])
    assert made.returncode == 0, made.stderr
    package = home.folder / begin.split()[-1]
    passed = own_tests(package, installed(package, home.folder / "made"))
    assert passed.returncode == 0, passed.stdout[-3_000:]


@pytest.fixture
def path(home: Home) -> str:
    """Install the guide's toolset in a folder of its own, as a distribution would; return where Python finds it."""
    *module, _ = blocks("python")
    site = home.folder / "site"
    metadata = site / "notes-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "my_notes.py").write_text("\n\n".join(module), encoding="utf-8")
    announced, table = blocks("toml")
    assert 'notes = "my_notes"' in announced
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: notes\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[entrepot.toolsets]\nnotes = my_notes\n", encoding="utf-8")
    home.configure(NO_OTHERS + table)
    return os.pathsep.join([str(PACKAGES), str(site)])


def test_the_tests_that_the_guide_prints_pass(home: Home, path: str) -> None:
    package = home.folder / "package"
    package.mkdir()
    (package / "test_my_notes.py").write_text(blocks("python")[-1], encoding="utf-8")
    passed = own_tests(package, path)
    assert (passed.returncode, "1 passed" in passed.stdout) == (0, True), passed.stdout[-3_000:]


def test_the_commands_that_the_guide_prints_work_and_the_stores_can_be_rebuilt(home: Home, path: str) -> None:
    commands = [shlex.split(line)[1:] for line in blocks("sh")[-1].splitlines()]
    printed = [home.run(*words, PYTHONPATH=path) for words in (*commands, ["rebuild", "--toolset", "notes", "--json"])]
    assert [done.returncode for done in printed] == [0] * len(printed), "".join(done.stderr for done in printed)
    listed, _, found, _ = (done.stdout for done in printed)
    assert "search_notes" in listed
    assert "buy milk" in found
