"""What `entrepot contracts` passes on."""

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from gateway.cli import contracts
from gateway.cli.contracts import EXIT_CODES, command


def run(monkeypatch: pytest.MonkeyPatch, *words: str, code: int = 0) -> tuple[Result, list[str]]:
    """Return how the command ended, and the words that the suite got."""
    passed: list[str] = []

    def main(words: Sequence[str]) -> int:
        passed.extend(words)
        return code

    def suite(_: str) -> SimpleNamespace:
        return SimpleNamespace(main=main)

    monkeypatch.setattr(contracts, "import_module", suite)
    return CliRunner().invoke(command, words), passed


def test_options_come_before_the_words_for_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--backend", "sqlite", "--promise", "vectors", "--promise", "graph", "--profile", "embedded", "--", "-x")
    ended, passed = run(monkeypatch, *words)
    assert ended.exit_code == 0, ended.output
    assert passed == [
        *("--profile", "embedded", "--backend", "sqlite", "--promise", "vectors", "--promise", "graph"),
        "-x",
    ]


@pytest.mark.parametrize(("code", "ours"), [*EXIT_CODES.items(), (3, 1), (77, 1)])
def test_the_exit_code_of_pytest_is_translated(code: int, ours: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, code=code)[0].exit_code == ours


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--backend", "sqlte"), "no adapter is called 'sqlte'; did you mean sqlite?"),
        (("--profile", "zzz"), "no profile is called 'zzz'. There are: "),
        (("--data-dir", "x"), "--data-dir would have no effect"),
    ],
)
def test_an_unknown_name_and_an_option_without_effect_are_wrong_usage(
    words: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, passed = run(monkeypatch, *words)
    assert (ended.exit_code, passed) == (2, [])
    assert told in " ".join(ended.output.replace("│", " ").split())


def test_a_missing_suite_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(contracts, "import_module", missing)
    ended = CliRunner().invoke(command, [])
    assert ended.exit_code == 1
    assert 'pip install "entrepot[contracts]"' in ended.output
