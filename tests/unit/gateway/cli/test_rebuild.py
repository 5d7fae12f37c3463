"""What `entrepot rebuild` prints."""

import json

import pytest
from click.testing import CliRunner

from gateway.cli import rebuild
from gateway.cli.rebuild import records, reporting
from gateway.errors import Refused
from gateway.rebuild import Rebuild, Rebuilt
from toolsets.reports import RebuildReport


def test_records_are_counted_by_their_sort() -> None:
    assert records(1, 0, 12) == "1 node, 0 edges, 12 vectors"


async def test_progress_is_a_line_for_each_tenth_and_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    with reporting() as reporter:
        advance = reporter.progress("memory")
        for done in range(101):
            await advance(done, 100)
        await advance(3)
        await advance(5, 10, "vectors")
        reporter.notice("Moved.")
    lines = capsys.readouterr().err.splitlines()
    assert lines[:3] == ["memory: 0 of 100", "memory: 10 of 100", "memory: 20 of 100"]
    assert lines[11:] == ["memory: 3", "memory, vectors: 5 of 10", "Moved."]


def report(**changed: object) -> RebuildReport:
    fields = (
        {name: 1 for name in RebuildReport.__dataclass_fields__} | {"digest": "ab", "former_digest": None} | changed
    )
    return RebuildReport(**fields)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Rebuilt:
    """What the rebuild returns; tests fill it."""
    outcome = Rebuilt({}, [])

    async def run(_: Rebuild) -> Rebuilt:
        return outcome

    monkeypatch.setattr(rebuild.Rebuild, "run", run)
    return outcome


def test_a_report_is_a_sentence_or_json(found: Rebuilt) -> None:
    reports = found.reports
    assert isinstance(reports, dict)
    reports["memory"] = report(events=2, former_digest="cd")
    shown = CliRunner().invoke(rebuild.command, [])
    assert shown.exit_code == 0
    assert "from 2 events: 1 node, 1 edge, 1 vector (1 computed again), digest ab" in shown.output
    assert "the former generation differed: cd" in shown.output
    as_json = json.loads(CliRunner().invoke(rebuild.command, ["--json"]).stdout)
    assert as_json["memory"]["former_digest"] == "cd"


@pytest.mark.parametrize("words", [("--to", "nope"), ("--toolset", "nope")])
def test_a_profile_or_toolset_that_does_not_exist_is_wrong_usage(found: Rebuilt, words: tuple[str, str]) -> None:
    ended = CliRunner().invoke(rebuild.command, words)
    assert (ended.exit_code, "is called 'nope'" in ended.output) == (2, True), ended.output


def test_what_stopped_a_toolset_ends_the_command_after_the_other_reports(found: Rebuilt) -> None:
    reports, stopped = found.reports, found.stopped
    assert isinstance(reports, dict)
    assert isinstance(stopped, list)
    reports["memory"] = report(former_digest="ab")
    stopped.append("The rebuild of skills stopped.")
    ended = CliRunner().invoke(rebuild.command, [])
    assert isinstance(ended.exception, Refused)
    assert str(ended.exception) == "The rebuild of skills stopped."
    assert ended.output.startswith("memory: generation 1")
    assert "differed" not in ended.output
