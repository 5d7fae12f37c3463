"""`entrepot new`: packages that are complete, and that pass or fail honestly."""

import re
from pathlib import Path

import pytest

from tests.e2e.probe import NO_OTHERS, Home
from tests.support.skeletons import installed, own_tests


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path)
    found.data.mkdir()
    return found


def test_a_new_toolset_installs_and_serves_its_tools(home: Home) -> None:
    made = home.run("new", "toolset", "my_notes")
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[-1] == 'Next: cd my_notes && pip install -e ".[test]" && pytest'
    path = installed(home.folder / "my_notes", home.folder / "site")
    home.configure(NO_OTHERS)
    listed = home.run("tools", PYTHONPATH=path).stdout.split()
    assert {"my_notes_add", "my_notes_find"} <= {*listed}
    called = home.run("call", "my_notes_add", "text=buy milk", PYTHONPATH=path)
    assert called.stdout.startswith("Added"), called.stderr
    assert home.run("rebuild", "--toolset", "my_notes", PYTHONPATH=path).returncode == 0


@pytest.mark.parametrize(
    ("port", "broken"), [("events", "events:versions:zero"), ("embedder", "embedder:embed:meaning")]
)
def test_a_new_adapter_passes_its_own_tests_and_breaks_promises_by_name(home: Home, port: str, broken: str) -> None:
    assert home.run("new", "adapter", "acme", "--port", port, "--into", "made").returncode == 0
    path = installed(home.folder / "made", home.folder / "site")
    passed = own_tests(home.folder / "made", path)
    assert passed.returncode == 0, passed.stdout[-3_000:]
    ran = home.run("contracts", "--backend", "acme", "--", "-q", PYTHONPATH=path)
    assert ran.returncode == 1, ran.stdout
    failed = ran.stdout.partition("broken promises")[2]
    assert f"\n{broken}\n" in failed
    assert f"run: entrepot contracts --backend acme -- -q --promise {broken}" in failed
    assert re.search(r"[1-9]\d* failed, [1-9]\d* passed", ran.stdout)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("new toolset knowledge", "There is already a toolset or a command called knowledge"),
        ("new toolset serve", "There is already a toolset or a command called serve"),
        ("new adapter sqlite", "There is already an adapter called sqlite"),
        ("new adapter x --into data", "data already exists; nothing was written"),
        ("new adapter x --into no/where", "no/where cannot be created: No such file or directory"),
    ],
)
def test_a_package_that_cannot_be_written_is_reported_in_a_sentence(home: Home, words: str, sentence: str) -> None:
    refused = home.run(*words.split())
    assert (refused.returncode, refused.stdout, sentence in refused.stderr) == (1, "", True), refused.stderr
    assert [path.name for path in home.folder.iterdir()] == ["data"]
