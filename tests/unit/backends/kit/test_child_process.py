"""A child process imports what this process imports, and nothing from the current directory."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from backends.kit.child_process import child_command, child_environment, crash_signal


def output_of(folder: Path, program: str, environment: dict[str, str]) -> str:
    """Return what a child in this folder prints."""
    done = subprocess.run(
        child_command("-c", program, "word"), cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_child_imports_our_modules_and_none_of_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "backends.py").write_text("print('wrong')", encoding="utf-8")
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    found = output_of(
        tmp_path, "import backends.kit, sys; print(backends.kit.__file__, sys.argv[1])", child_environment()
    )
    import backends.kit

    assert found == f"{backends.kit.__file__} word"


def test_an_environment_has_the_given_variables_or_those_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_TEST_CHILD", "x")
    assert child_environment()["ENTREPOT_TEST_CHILD"] == "x"
    alone = child_environment({"ONLY": "this", "PYTHONPATH": "elsewhere"})
    assert alone.keys() == {"ONLY", "PYTHONPATH"}
    assert alone["PYTHONPATH"].split(os.pathsep) == [path for path in sys.path if path]


@pytest.mark.parametrize(
    ("code", "name"),
    [(-signal.SIGSEGV, "SIGSEGV"), (-signal.SIGABRT, "SIGABRT"), (-signal.SIGKILL, None), (0, None), (11, None)],
)
def test_a_crash_is_named_by_its_signal(code: int, name: str | None) -> None:
    assert crash_signal(code) == name
