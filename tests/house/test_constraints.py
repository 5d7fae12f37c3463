"""The versions that are tested: one of everything, within the bounds that are declared; engines with files have upper ones."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
ENGINES_WITH_FILES = ("chromadb", "kuzu", "ladybug", "lancedb")


def declared() -> Iterator[Requirement]:
    """Yield every requirement of the project, its extras and its groups, apart from the project itself."""
    project = PROJECT["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    groups: dict[str, list[str]] = PROJECT["dependency-groups"]
    for lines in (project["dependencies"], *extras.values(), *groups.values()):
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
        assert versions, f"{requirement.name} is not in constraints.txt; nox -s constraints writes it anew"
        assert [each for each in versions if each not in requirement.specifier] == [], requirement.name


@pytest.mark.parametrize("name", ENGINES_WITH_FILES)
def test_an_engine_whose_files_have_a_format_has_an_upper_bound(name: str) -> None:
    """The next version of the files must not be met by surprise: the next major version, of 0.x the next minor one."""
    [requirement] = [each for each in declared() if each.name == name]
    assert {each.operator for each in requirement.specifier} & {"<", "=="}
    [tested] = pinned()[name]
    major, minor, *_ = (int(part) for part in tested.split("."))
    assert (f"{major + 1}.0" if major else f"0.{minor + 1}") not in requirement.specifier


def test_no_host_is_named() -> None:
    assert [line for line in LINES if "://" in line or line.startswith("-")] == []


def test_tox_installs_by_the_file() -> None:
    assert "UV_CONSTRAINT = {tox_root}{/}constraints.txt" in (ROOT / "tox.ini").read_text(encoding="utf-8")
