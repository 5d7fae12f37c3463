"""The tested versions: one of every requirement, within its declared bounds. Engines with files have upper bounds."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backends.registry import adapter_names, extra_of

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
TOX = (ROOT / "tox.ini").read_text(encoding="utf-8")
ENGINES_WITH_FILES = ("chromadb", "kuzu", "ladybug", "lancedb")


def untested_extras() -> set[str]:
    """Return the extras of engines that no environment of tox.ini installs; nothing is known of their versions."""
    installed = {name for line in re.findall(r"^extras = (.+)$", TOX, re.MULTILINE) for name in line.split(", ")}
    return {extra for name in adapter_names() if (extra := extra_of(name)) is not None} - installed


def declared() -> Iterator[Requirement]:
    """Yield every requirement of the project, its extras that are tested and its groups, but not the project itself."""
    project = PROJECT["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    groups: dict[str, list[str]] = PROJECT["dependency-groups"]
    tested = [lines for name, lines in extras.items() if name not in untested_extras()]
    for lines in (project["dependencies"], *tested, *groups.values()):
        yield from (requirement for requirement in map(Requirement, lines) if requirement.name != "entrepot")


def pinned() -> dict[str, list[str]]:
    """Return the versions by name; several where they depend on Python or the system."""
    found: dict[str, list[str]] = {}
    for line in LINES:
        requirement = Requirement(line)
        [only] = requirement.specifier
        assert (only.operator, requirement.url, requirement.extras) == ("==", None, set())
        found.setdefault(canonicalize_name(requirement.name), []).append(only.version)
    return found


def test_everything_that_is_declared_has_a_tested_version_within_its_bounds() -> None:
    known = pinned()
    for requirement in declared():
        versions = known.get(canonicalize_name(requirement.name))
        assert versions, f"{requirement.name} is not in constraints.txt; run: nox -s constraints"
        assert [each for each in versions if each not in requirement.specifier] == [], requirement.name


@pytest.mark.parametrize("name", ENGINES_WITH_FILES)
def test_an_engine_whose_files_have_a_format_has_an_upper_bound(name: str) -> None:
    """A release that may change the format of files is not installed unnoticed: the next major one, of 0.x the next minor."""
    [requirement] = [each for each in declared() if each.name == name]
    assert {each.operator for each in requirement.specifier} & {"<", "=="}
    [tested] = pinned()[name]
    major, minor, *_ = (int(part) for part in tested.split("."))
    assert (f"{major + 1}.0" if major else f"0.{minor + 1}") not in requirement.specifier


def test_no_host_is_named() -> None:
    assert [line for line in LINES if "://" in line or line.startswith("-")] == []


def test_tox_installs_by_the_file() -> None:
    assert "UV_CONSTRAINT = {tox_root}{/}constraints.txt" in TOX
