"""The report at the end of a run: what was kept of each group of promises, by each engine and through each door."""

import json
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, TypeAlias

import pytest

from contracts.plugin import COLUMN, NOT_OFFERED, PROMISE, TRIED
from contracts.promises import group_of

Outcome: TypeAlias = Literal["failed", "gap", "passed", "unsupported"]
_WORST_FIRST: tuple[Outcome, ...] = ("failed", "gap", "passed", "unsupported")
_MARKS: Mapping[Outcome, str] = {"failed": "FAILED", "gap": "gap", "passed": "kept", "unsupported": "-"}

Table: TypeAlias = dict[str, dict[str, Outcome]]
"""The outcome by promise and column."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table, and write the file that `--report` names."""
    table = outcomes(_reports(terminalreporter))
    for left_out in config.stash.setdefault(NOT_OFFERED, []):
        for promise_id in left_out.promises:
            table.setdefault(promise_id, {}).setdefault(left_out.column, "unsupported")
    if not table:
        return
    terminalreporter.section("promises")
    for line in lines_of(table):
        terminalreporter.write_line(line)
    path: Path | None = config.getoption("report")
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        engines = {column: asdict(tried) for column, tried in config.stash.setdefault(TRIED, {}).items()}
        document = {**document_of(table), "engines": engines}
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def outcomes(reports: Iterable[pytest.TestReport]) -> Table:
    """Return the worst outcome of each promise in each column, over all its tests."""
    table: Table = {}
    for report in reports:
        outcome = _outcome(report)
        if outcome is None:
            continue
        promises = [str(value) for key, value in report.user_properties if key == PROMISE]
        columns = [str(value) for key, value in report.user_properties if key == COLUMN]
        for promise_id in promises if columns else ():
            row = table.setdefault(promise_id, {})
            row.update({column: _worse(outcome, row.get(column)) for column in columns})
    return table


def _reports(reporter: pytest.TerminalReporter) -> Iterator[pytest.TestReport]:
    for reports in reporter.stats.values():
        yield from (report for report in reports if isinstance(report, pytest.TestReport))


def _outcome(report: pytest.TestReport) -> Outcome | None:
    """Return what a report says about its promises; None for a set-up or a tear-down that went well."""
    if report.failed:
        return "failed"
    if report.skipped:
        return "gap" if hasattr(report, "wasxfail") else "unsupported"
    return "passed" if report.when == "call" else None


def _worse(one: Outcome, two: Outcome | None) -> Outcome:
    return next(outcome for outcome in _WORST_FIRST if outcome in (one, two))


def lines_of(table: Table) -> list[str]:
    """Return the table of groups by columns, as text for a terminal."""
    columns = sorted({column for row in table.values() for column in row})
    cells: dict[str, dict[str, Counter[Outcome]]] = defaultdict(lambda: defaultdict(Counter))
    for promise_id, row in table.items():
        for column, outcome in row.items():
            cells[group_of(promise_id)][column][outcome] += 1
    widths = {column: max(len(column), 16) for column in columns}
    margin = max(len(group) for group in cells)
    lines = [f"{'':{margin}}  " + "  ".join(f"{column:{widths[column]}}" for column in columns)]
    for group in sorted(cells):
        row = "  ".join(f"{_cell(cells[group][column]):{widths[column]}}" for column in columns)
        lines.append(f"{group:{margin}}  {row}".rstrip())
    return lines


def _cell(counts: Counter[Outcome]) -> str:
    return ", ".join(f"{counts[outcome]} {_MARKS[outcome]}" for outcome in _WORST_FIRST if counts[outcome])


def document_of(table: Table) -> Mapping[str, object]:
    """Return the table with when, on what and by which version it came about."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"entrepot": _own_version(), "python": platform.python_version(), "platform": sys.platform},
        "columns": sorted({column for row in table.values() for column in row}),
        "promises": {promise_id: dict(sorted(table[promise_id].items())) for promise_id in sorted(table)},
    }


def _own_version() -> str:
    try:
        return version("entrepot")
    except PackageNotFoundError:
        return "not installed"
