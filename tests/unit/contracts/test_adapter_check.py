"""An adapter whose shape, capabilities or gaps are wrong is refused with one sentence before anything is tried."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from pydantic import BaseModel, ConfigDict

from backends.ports.adapter import Adapter, Engine
from backends.ports.capabilities import Capabilities, PortName
from backends.ports.errors import Unavailable
from backends.ports.gaps import GapKind, KnownGap
from backends.ports.values import Json
from backends.registry import load_adapter
from contracts.adapter_check import Misuse, check_adapter


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Lenient(BaseModel):
    """Settings that accept a misspelt option."""


class Toy:
    """An adapter that a test spoils in one place."""

    def __init__(self) -> None:
        self.name: object = "toy"
        self.settings: object = Settings
        self.capabilities: object = Capabilities(ports=frozenset({"graph"}))

    async def open(self, options: Mapping[str, Json], directory: Path) -> Engine:
        raise Unavailable("it is a toy")


GAP = KnownGap("graph:walk:limits", "never", AssertionError, "it is a toy", "https://example.org/toy")


def check(toy: Toy, chosen_as: str | None = None) -> None:
    check_adapter(cast("Adapter", toy), {}, chosen_as=chosen_as)


def test_the_shipped_adapter_is_well_formed() -> None:
    with pytest.raises(Misuse):
        check_adapter(load_adapter("sqlite"), {}, chosen_as="kuzu")
    check_adapter(load_adapter("sqlite"), {}, chosen_as="sqlite")


def test_an_adapter_of_the_right_shape_is_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "KNOWN_GAPS", ("no gap",), raising=False)
    with pytest.raises(Misuse):
        check(Toy(), "toy")
    monkeypatch.setattr(sys.modules[__name__], "KNOWN_GAPS", (GAP,), raising=False)
    check(Toy(), "toy")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", None, "Toy is not an adapter: its `name` is None instead of a text"),
        ("name", "other", "the entry point 'toy' leads to an adapter that is called 'other'"),
        ("settings", dict, "the adapter 'toy' has no pydantic model in `settings`"),
        ("settings", Lenient, "the settings of the adapter 'toy' need extra=\"forbid\""),
        ("open", None, "the adapter 'toy' has no `async def open(self, options, directory)`"),
        ("capabilities", None, "the `capabilities` of the adapter 'toy' are not `Capabilities`"),
    ],
)
def test_an_adapter_of_another_shape_is_refused(field: str, value: object, sentence: str) -> None:
    toy = Toy()
    setattr(toy, field, value)
    with pytest.raises(Misuse, match=re.escape(sentence)):
        check(toy, "toy")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        (
            "ports",
            frozenset({"grpah"}),
            "the adapter 'toy' offers frozenset({'grpah'}); ports are a frozenset of graph, ",
        ),
        ("ports", frozenset[PortName](), "the adapter 'toy' offers frozenset(); ports are a frozenset of graph, "),
        ("durable", "fsnc", "the adapter 'toy' says durable = 'fsnc', which is not 'fsync' or 'process' or 'none'"),
        ("processes", 2, "the adapter 'toy' says processes = 2, which is not 'many' or 'one'"),
        ("exact_dense", "yes", "the adapter 'toy' says exact_dense = 'yes', which is not True or False"),
    ],
)
def test_a_capability_that_does_not_exist_is_refused(field: str, value: object, sentence: str) -> None:
    toy = Toy()
    broken = Capabilities(ports=frozenset({"graph"}))
    object.__setattr__(broken, field, value)
    toy.capabilities = broken
    with pytest.raises(Misuse, match=re.escape(sentence)):
        check(toy)


@pytest.mark.parametrize(
    ("gap", "sentence"),
    [
        (replace(GAP, promise="graph:walk:limitz"), "is not a promise of the manifest; is it 'graph:walk:limit'?"),
        (replace(GAP, promise="vectors:durable"), "is about a port that the adapter does not offer"),
        (replace(GAP, kind=cast("GapKind", "sometimes")), "is of the kind 'sometimes', which is not 'never' or "),
        (replace(GAP, error=Exception), "needs the exception with which it fails"),
        ("graph:walk:limits", "holds 'graph:walk:limits', which is not a `KnownGap`"),
    ],
)
def test_a_gap_that_no_test_can_confirm_is_refused(gap: object, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "KNOWN_GAPS", (gap,), raising=False)
    with pytest.raises(Misuse, match=re.escape(sentence)):
        check(Toy())
