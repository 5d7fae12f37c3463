"""Every rule of every published argument model has a sentence, made from pydantic's type of error and not from its English."""

from collections.abc import Iterator, Mapping, Sequence

import pytest
from pydantic import ValidationError

from backends.ports.values import Json
from gateway.plugins import installed, is_shipped, load
from toolsets.arguments import Arguments, BadArguments, parse

WRONG: Sequence[Json] = (
    None, True, -1, 0, 10**12, 1.5, -1e9, "", " ", "x" * 300_000, "no such value", [], {}, [None], [5], [""],
    [[]], {"a": None}, ["x"] * 5_000, [{"unknown": 1}],
)  # fmt: skip


def shipped() -> Sequence[str]:
    """Return the names of the shipped toolsets; others may be installed here, too."""
    return [name for name in installed() if is_shipped(name)]


def models() -> Iterator[type[Arguments]]:
    """Yield every argument model of the shipped toolsets, those inside other ones too."""
    load(shipped())
    pending: list[type[Arguments]] = [Arguments]
    while pending:
        for model in pending.pop().__subclasses__():
            pending.append(model)
            if model.__module__.startswith("toolsets."):
                yield model


@pytest.mark.parametrize("model", [*models()], ids=lambda model: str(model.__name__))
def test_every_rule_that_an_argument_can_break_has_a_sentence(model: type[Arguments]) -> None:
    for name, field in model.model_fields.items():
        for value in WRONG:
            arguments: Mapping[str, Json] = {field.alias or name: value}
            try:
                parse(model, arguments)
            except BadArguments as bad:
                for problem in bad.problems:
                    assert not problem.sentence.endswith("is not valid"), (name, value, _kinds(model, arguments))
                    assert "Input" not in problem.sentence


def _kinds(model: type[Arguments], arguments: Mapping[str, Json]) -> list[str]:
    try:
        model.model_validate(arguments)
    except ValidationError as error:
        return [detail["type"] for detail in error.errors()]
    return []


def test_every_shipped_toolset_has_models_in_the_walk() -> None:
    assert {model.__module__.split(".")[1] for model in models()} >= {*shipped()}
