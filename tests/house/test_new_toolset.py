"""A further toolset is its folder, an entry point, a place in the import rules, a page, the generated reference and its tests."""

import json
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.house.copies import broken_import_rules, changes, copy_to, edit, run

TOOLSET = "recipes"
FOLDER = Path("toolsets") / TOOLSET
PAGE = Path("docs") / "tools" / f"{TOOLSET}.md"
UNIT = Path("tests") / "unit" / "toolsets" / TOOLSET
MANIFEST = Path("contracts") / "manifest" / f"{TOOLSET}.toml"
SUITE = Path("contracts") / "tools" / TOOLSET
PARTS = Path(__file__).with_name("new_toolset")
"""The tests of the added toolset: `unit` and `suite` as folders of templates, and its promises."""
TEMPLATE = ".template"
HOUSE = (
    "tests/house/test_layout.py",
    "tests/house/test_argument_rules.py",
    "tests/docs/test_limits.py",
    "tests/unit/contracts/test_promises.py",
)
"""The tests that hold for every shipped toolset."""


@dataclass(frozen=True)
class Extended:
    """A copy of the repository with one more toolset, the folder of its metadata, and the tools that it lists as JSON."""

    root: Path
    metadata: Path
    listing: str


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Extended]:
    """Add what `entrepot new toolset` writes, as a toolset that is shipped."""
    base = tmp_path_factory.mktemp("repository")
    root = base / "entrepot"
    copy_to(root)
    made = run(root, "-m", "gateway.cli.main", "new", "toolset", TOOLSET, "--into", str(base / TOOLSET))
    assert made.returncode == 0, made.stderr
    shutil.copytree(base / TOOLSET / "src" / f"entrepot_{TOOLSET}", root / FOLDER)
    edit(
        root / "pyproject.toml",
        '\nskills = "toolsets.skills.plugin"',
        f"""
{TOOLSET} = "toolsets.{TOOLSET}.plugin"
skills = "toolsets.skills.plugin\"""",
    )
    edit(root / "pyproject.toml", "| memory | skills", f"| memory | {TOOLSET} | skills")
    page = "# Recipes\n\nA reply has at most 8 MB; a longer one is replaced by the error `too_large`.\n"
    (root / PAGE).write_text(page, encoding="utf-8")
    for source, folder in ((PARTS / "unit", UNIT), (PARTS / "suite", SUITE)):
        _copy_templates(source, root / folder)
    shutil.copy(PARTS / "promises.toml", root / MANIFEST)
    metadata = _installed(base / "metadata", root)
    listed = run(root, "-m", "gateway.cli.main", "tools", "--json", packages=(metadata,))
    assert listed.returncode == 0, listed.stderr
    (base / "tools.json").write_text(listed.stdout, encoding="utf-8")
    generated = run(root, "docs/generate.py", str(base / "tools.json"))
    assert generated.returncode == 0, generated.stderr
    yield Extended(root, metadata, listed.stdout)
    shutil.rmtree(base)


def _copy_templates(source: Path, folder: Path) -> None:
    """Copy the files without the end of their names, which keeps pytest from collecting them here."""
    folder.mkdir(parents=True)
    for file in source.glob(f"*{TEMPLATE}"):
        shutil.copy(file, folder / file.name.removesuffix(TEMPLATE))


def _installed(folder: Path, root: Path) -> Path:
    """Write the distribution's metadata with the entry points of `pyproject.toml`."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    information = folder / f"entrepot-{project['version']}.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: entrepot\nVersion: {project['version']}\n")
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = [line for group, points in groups.items() for line in (f"[{group}]", *map(" = ".join, points.items()))]
    (information / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_its_tools_are_served_without_a_line_in_a_profile(extended: Extended) -> None:
    names = {tool["name"] for tool in json.loads(extended.listing)["tools"]}
    assert f"{TOOLSET}_add" in names
    assert f"{TOOLSET}_find" in names


def test_the_docs_of_the_copy_are_complete(extended: Extended) -> None:
    chosen = (
        "tests/docs/test_generated.py::test_the_reference_is_what_the_server_publishes",
        "tests/docs/test_toolset_guide.py",
    )
    done = run(extended.root, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen, packages=(extended.metadata,))
    assert done.returncode == 0, done.stdout


def test_the_house_tests_and_its_own_pass(extended: Extended) -> None:
    suite = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = run(extended.root, *suite, *HOUSE, str(UNIT), packages=(extended.metadata,))
    assert done.returncode == 0, done.stdout[-3_000:]


def test_its_promises_are_kept(extended: Extended) -> None:
    suite = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "contracts.plugin")
    chosen = ("--profile", "embedded", "--transport", "http", str(SUITE))
    done = run(extended.root, *suite, *chosen, packages=(extended.metadata,))
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-1_000:]


def test_no_import_rule_is_broken(extended: Extended) -> None:
    assert broken_import_rules(extended.root) == ""


def test_an_import_of_another_toolset_breaks_the_rules(extended: Extended) -> None:
    plugin = extended.root / FOLDER / "plugin.py"
    written = plugin.read_text(encoding="utf-8")
    plugin.write_text(written + "\nimport toolsets.memory.streams\n", encoding="utf-8")
    try:
        assert "1 broken" in broken_import_rules(extended.root)
    finally:
        plugin.write_text(written, encoding="utf-8")


def test_nothing_else_was_edited(extended: Extended) -> None:
    edited, added = changes(extended.root)
    assert edited == {"pyproject.toml", "docs/tools/reference.md"}
    assert {Path(name).parent for name in added} == {FOLDER, PAGE.parent, UNIT, MANIFEST.parent, SUITE}
    assert {"plugin.py", "tools.py", PAGE.name, MANIFEST.name} <= {Path(name).name for name in added}
