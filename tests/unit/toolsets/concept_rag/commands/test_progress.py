"""The pace of a run: files, chunks a second, time that remains."""

import pytest

from toolsets.concept_rag.commands.progress import Pace
from toolsets.concept_rag.pipeline.report import FileReport, RunSummary


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("toolsets.concept_rag.commands.progress.time.monotonic", lambda: now[0])
    return now


def test_what_remains_is_estimated_from_the_bytes_that_took_time(clock: list[float]) -> None:
    pace = Pace()
    pace.files, pace.size = 3, 1_000
    assert pace.sentence() == "0 of 3 files, 0 chunks/s"
    pace.finished(FileReport("/a", "unchanged"), 400)
    assert pace.remaining_s is None
    pace.working("/b", 0, 100, 400)
    clock[0] = 10.0
    pace.working("/b", 50, 100, 400)
    assert pace.bytes_done == 600
    assert pace.remaining_s == 20
    clock[0] = 20.0
    pace.working("/b", 100, 100, 400)
    pace.finished(FileReport("/b", "added"), 400)
    assert pace.sentence() == "2 of 3 files, 5 chunks/s, about 10 s remaining"


def test_nothing_is_estimated_while_a_run_starts_up(clock: list[float]) -> None:
    pace = Pace()
    pace.files, pace.size = 1, 1_000_000
    pace.working("/a", 0, 1_000, 1_000_000)
    clock[0] = 4.0
    pace.working("/a", 60, 1_000, 1_000_000)
    assert pace.remaining_s is None
    assert "remaining" not in pace.sentence()
    clock[0] = 12.0
    assert pace.remaining_s == pytest.approx(188)
    slow = Pace()
    slow.files, slow.size = 1, 1_000_000
    slow.working("/a", 0, 1_000, 1_000_000)
    clock[0] = 60.0
    slow.working("/a", 1, 1_000, 1_000_000)
    assert slow.remaining_s is None


def test_chunks_that_an_earlier_run_embedded_do_not_count_for_the_rate(clock: list[float]) -> None:
    pace = Pace()
    pace.files, pace.size = 1, 100
    clock[0] = 1.0
    pace.working("/a", 90, 100, 100)
    pace.working("/a", 100, 100, 100)
    assert pace.chunks_per_second == 10


def test_reports_are_formatted() -> None:
    report = FileReport("/a", "added", None, 5, pages=1, chunks=2, concepts=3, visuals=0)
    assert report.line() == "added     /a (1 page, 2 chunks, 3 concepts, 0 visuals)"
    assert FileReport("/b", "failed", "Broken.").line() == "failed    /b: Broken."
    summary = RunSummary(seconds=1.25)
    summary.counts["added"] += 2
    assert summary.line() == "2 added, 0 updated, 0 unchanged, 0 removed, 0 skipped, 0 failed in 1.2 s"
    assert not summary.failed
