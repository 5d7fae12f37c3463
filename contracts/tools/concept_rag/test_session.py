"""Sessions of questions to a library get the same replies on every profile: those of a record, and of the embedded profile."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from backends.ports.values import JsonObject
from contracts.promises import promise
from contracts.servers import Combination
from contracts.sessions import SessionStep, changes
from contracts.tools.concept_rag.glossary import GLOSSARY
from contracts.tools.concept_rag.session import CALLS, SESSION

CLOSE = 0.005
ROUNDING = 0.001
"""Scores are texts of three decimals."""


@promise("concept_rag:session:replies")
async def test_a_recorded_session_gets_the_recorded_replies(empty_stage: tuple[str, Path]) -> None:
    """Clock and library are the same; scores may be 0.02 apart, and rows as near as that may change places."""
    before = SESSION.recorded()
    assert len(before) == CALLS
    assert not changes(before, await SESSION.played(*empty_stage))


@promise("concept_rag:session:engines")
async def test_a_library_gets_the_same_replies_on_two_engines(
    engines: Combination,
    empty_stage: tuple[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has many chunks, so that engines find more by words than are ranked."""
    here = await GLOSSARY.played(*empty_stage)
    with monkeypatch.context() as patch:
        for variable in engines.variables():
            patch.delenv(variable)
        there = await GLOSSARY.played("embedded", tmp_path_factory.mktemp("embedded"))
    assert sum(len(_scores(step)) for step in here) > 5 * len(here)
    for one, other in zip(here, there, strict=True):
        assert _scores(one).keys() == _scores(other).keys(), one.call
        apart = [abs(score - _scores(other)[key]) for key, score in _scores(one).items()]
        assert max(apart, default=0.0) <= CLOSE + ROUNDING, one.call


def _scores(step: SessionStep) -> Mapping[tuple[object, object], float]:
    """Return the scores of the rows by document and text."""
    rows = cast("list[JsonObject]", step.reply["result"])
    return {(row["catalog_id"], row.get("text")): float(str(row["score"])) for row in rows}
