"""CI runs the environments of tox.ini, by pinned actions, and reaches no host of its own."""

import re
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def tox() -> ConfigParser:
    found = ConfigParser(interpolation=None)
    found.read(ROOT / "tox.ini", encoding="utf-8")
    return found


def environments(label: str) -> set[str]:
    """Return the environments of tox.ini with a label."""
    sections = [name for name in tox().sections() if name.startswith("testenv:")]
    inherited = tox()["testenv"]["labels"]
    return {
        name.removeprefix("testenv:")
        for name in sections
        if label in re.split(r"[,\s]+", tox()[name].get("labels", inherited))
    }


def by_default() -> set[str]:
    """Return the environments that plain `tox` runs."""
    listed = tox()["tox"]["env_list"]
    factors = re.sub(
        r"([\w-]+)\{([^}]*)\}", lambda m: ", ".join(m[1] + each.strip() for each in m[2].split(",")), listed
    )
    return {each.strip() for each in factors.split(",")}


def test_every_environment_has_a_label_and_the_default_ones_and_the_rest_are_all() -> None:
    assert by_default() | environments("rest") == environments("all")
    assert by_default() & environments("rest") == set()
    assert environments("servers") <= environments("rest")


@pytest.mark.skipif(not WORKFLOWS, reason="the workflows are not part of a source archive")
def test_the_matrix_has_every_environment() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"^ {10}- ([\w-]+)$", workflow, re.MULTILINE)) == environments("all")


@pytest.mark.skipif(not WORKFLOWS, reason="the workflows are not part of a source archive")
@pytest.mark.parametrize("label", ["tools", "pairs"])
def test_a_label_of_a_pull_request_runs_what_the_matrix_leaves_out(label: str) -> None:
    """So every environment of tox.ini runs in CI."""
    workflow = (ROOT / ".github" / "workflows" / "long.yml").read_text(encoding="utf-8")
    assert environments(label) - environments("all")
    [listed] = re.findall(r"fromJSON\('\[(.*)\]'\)", workflow)
    assert f'"{label}"' in listed
    [options] = re.findall(r"options: \[(.*)\]", workflow)
    assert label in options.split(", ")
    assert 'tox run -m "$LABEL"' in workflow


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: str(path.name))
def test_actions_are_pinned_and_no_host_is_named(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    used = re.findall(r"^\s*- uses: (\S+)$", text, re.MULTILINE)
    assert used
    assert [action for action in used if not re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", action)] == []
    assert "://" not in text
