"""What `entrepot verify` prints."""

import json
from collections.abc import Mapping

import pytest
from click.testing import CliRunner, Result

from gateway.cli import verify
from toolsets.reports import ComparisonReport, Difference


def printed(monkeypatch: pytest.MonkeyPatch, report: ComparisonReport, *words: str) -> Result:
    async def compare(*_: object) -> Mapping[str, ComparisonReport]:
        return {"memory": report}

    monkeypatch.setattr(verify, "compare", compare)
    return CliRunner().invoke(verify.command, ["--to", "embedded", *words])


def report(*differences: Difference) -> ComparisonReport:
    fields = {name: 1 for name in ComparisonReport.__dataclass_fields__}
    fields |= {"digest": "ab", "other_digest": "cd" if differences else "ab"}
    fields |= {"differences": differences, "differing": len(differences)}
    return ComparisonReport(**fields)  # pyright: ignore[reportArgumentType]


def test_equal_stores_end_with_success(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = printed(monkeypatch, report())
    assert ended.exit_code == 0
    assert ended.output == "ok   memory: 1 node, 1 edge, 1 vector, position 1, digest ab\n"


def test_a_difference_is_named_and_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {name: name for name in Difference.__dataclass_fields__}
    difference = Difference(**fields)  # pyright: ignore[reportArgumentType]
    ended = printed(monkeypatch, report(difference))
    assert ended.exit_code == 1
    first, second = ended.output.splitlines()
    assert first.startswith("BAD  memory: ")
    assert "1 record differs; digest ab, there cd" in first
    assert second == "     part: record group id: found there"
    as_json = printed(monkeypatch, report(difference), "--json")
    assert (as_json.exit_code, json.loads(as_json.stdout)["memory"]["equal"]) == (1, False)
