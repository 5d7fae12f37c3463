"""What a run says of each file and of all."""

from collections import Counter

import pytest

from toolsets.concept_rag.pipeline.report import FileReport, RunSummary


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (FileReport("/a", "unchanged"), "unchanged /a"),
        (FileReport("/a", "added", pages=1, chunks=2, visuals=0), "added     /a (1 page, 2 chunks, 0 visuals)"),
        (FileReport("/a", "failed", "It is damaged."), "failed    /a: It is damaged."),
        (FileReport("/a", "updated", "Note.", concepts=1), "updated   /a (1 concept): Note."),
    ],
)
def test_a_file_has_one_line(report: FileReport, line: str) -> None:
    assert report.line() == line


def test_json_has_what_is_known() -> None:
    report = FileReport("/a", "skipped", "No text.", catalog_id=7, passing=True)
    assert report.as_json() == {"path": "/a", "status": "skipped", "reason": "No text.", "catalog_id": 7}


def test_the_summary_counts_every_status() -> None:
    summary = RunSummary(Counter({"added": 2, "failed": 1}), 1.23456)
    assert summary.failed
    assert not RunSummary(Counter({"skipped": 1}), 0.0).failed
    assert summary.line() == "2 added, 0 updated, 0 unchanged, 0 removed, 0 skipped, 1 failed in 1.2 s"
    assert summary.as_json()["summary"] == {
        "added": 2,
        "updated": 0,
        "unchanged": 0,
        "removed": 0,
        "skipped": 0,
        "failed": 1,
        "seconds": 1.235,
    }
