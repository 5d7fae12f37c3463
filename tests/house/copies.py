"""Copies of the repository to which something is added, and what had to be edited for it."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNCOUNTED = {"__pycache__", ".import_linter_cache"}


def tracked() -> list[str]:
    """Return the files that belong to the repository; leave the test out where there is none."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("needs git and the repository")
    return [name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def copy_to(root: Path) -> None:
    """Copy the repository."""
    for name in tracked():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, root / name)


def edit(path: Path, before: str, after: str) -> None:
    """Replace a text that occurs once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, f"{before!r} occurs once in {path.name}"
    path.write_text(text.replace(before, after), encoding="utf-8")


def run(root: Path, *arguments: str, packages: Sequence[Path] = ()) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy, whose packages come before the installed ones, and so do those of the folders `packages`."""
    path = ":".join(map(str, (root, *packages)))
    environment = {"PYTHONPATH": path, "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False
    )


def broken_import_rules(root: Path) -> str:
    """Return what the import rules say of a copy that breaks them, "" for one that keeps them all."""
    pytest.importorskip("importlinter", reason="needs import-linter")
    done = run(root, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")
    return "" if done.returncode == 0 and "0 broken" in done.stdout else done.stdout[-2_000:] + done.stderr


def changes(root: Path) -> tuple[set[str], set[str]]:
    """Return the files of a copy that were edited or removed, and those that were added."""
    before = {name: (ROOT / name).read_bytes() for name in tracked()}
    after = {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not UNCOUNTED & set(path.parts)
    }
    return {name for name in before if after.get(name) != before[name]}, after.keys() - before.keys()
