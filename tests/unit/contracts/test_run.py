"""The command of the suite: how it is repeated for one promise, and how it ends when it cannot begin."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from contracts.run import command_of
from tests.support.processes import Command, run


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["--backend", "chroma"], "entrepot contracts --backend chroma --"),
        (["--backend", "chroma", "-q", "--report", "r.json"], "entrepot contracts --backend chroma -- -q"),
        (["--backend", "kuzu", "--backend", "minilm"], "entrepot contracts --backend kuzu -- --backend minilm"),
        (["--profile", "scale", "--suite", "tools"], "entrepot contracts --profile scale -- --suite tools"),
        (["--promise", "vectors", "-x"], "entrepot contracts -- -x"),
    ],
)
def test_a_run_can_be_repeated(arguments: Sequence[str], command: str) -> None:
    assert " ".join(command_of(arguments)) == command


def test_a_misspelt_engine_is_named_and_ends_with_exit_code_2(tmp_path: Path) -> None:
    done = run(Command(["contracts", "--backend", "sqlit"], folder=tmp_path))
    assert done.returncode == 2
    assert done.stdout.strip() == ""
    assert "'sqlit'" in done.stderr.splitlines()[-1]
    assert "sqlite" in done.stderr.splitlines()[-1]
