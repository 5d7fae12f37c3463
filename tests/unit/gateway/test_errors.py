"""The error of the gateway, and the end of an interrupted command."""

from threading import Event

import pytest

from gateway import errors
from gateway.errors import INTERRUPTED, Refused, cause_of, print_interrupted


def test_the_cause_is_the_first_error_within_the_groups() -> None:
    cause = Refused("no")
    group = ExceptionGroup("outer", [ExceptionGroup("inner", [cause, ValueError()]), KeyError()])
    assert cause_of(group) is cause
    assert cause_of(cause) is cause


def test_an_interruption_is_printed_once(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(errors, "_printed", Event())
    print_interrupted()
    print_interrupted()
    assert capfd.readouterr().err == f"{INTERRUPTED}\n"
