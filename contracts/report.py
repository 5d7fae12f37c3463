"""The report at the end of a run: which groups of promises each engine kept, over each transport."""

import json
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, TypeAlias

import pytest

from contracts.failures import COMMAND, failures_by_promise, lines_of_failure, name_causes
from contracts.plugin import COLUMN, ENGINES_UNDER_TEST, MISUSE, NOT_OFFERED
from contracts.promises import PROMISE, group_of

Outcome: TypeAlias = Literal["failed", "gap", "claimed", "passed", "unsupported"]
_WORST_FIRST: tuple[Outcome, ...] = ("failed", "gap", "claimed", "passed", "unsupported")
_MARKS: Mapping[Outcome, str] = {
    "failed": "FAILED", "gap": "gap", "claimed": "claimed", "passed": "kept", "unsupported": "-",
}  # fmt: skip
CLAIMED = "claimed"
"""The first word of a skip for a promise that is only claimed, because it cannot be tested."""

Table: TypeAlias = dict[str, dict[str, Outcome]]
"""The outcome by promise and column."""


@dataclass(slots=True, eq=False)
class OutcomeRecorder:
    """Records the reports of a run, shows them at its end, and always writes the file that `--report` names."""

    config: pytest.Config
    reports: list[pytest.TestReport] = field(default_factory=list[pytest.TestReport])
    broken: list[str] = field(default_factory=list[str])
    """Modules that could not be collected, and errors of pytest itself."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: "pytest.CallInfo[None]"
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Name the exceptions of a group, also in pytest's own summary."""
        report = yield
        if call.excinfo is not None:
            name_causes(report, call.excinfo.value)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record one phase of a test."""
        self.reports.append(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a module that cannot be collected."""
        if report.failed:
            self.broken.append(f"{report.nodeid}: {report.longreprtext}")

    def pytest_internalerror(self, excrepr: object) -> None:
        """Record an error of the run itself."""
        self.broken.append(str(excrepr))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the table, then each broken promise."""
        if table := self.table():
            terminalreporter.section("promises")
            for line in lines_of(table):
                terminalreporter.write_line(line)
        command = self.config.stash.get(COMMAND, ("pytest", *self.config.invocation_params.args))
        failures = failures_by_promise(self.reports)
        if failures or self.broken:
            terminalreporter.section("broken promises")
        for promise_id, reports in failures.items():
            for line in (*lines_of_failure(promise_id, reports, [str(word) for word in command]), ""):
                terminalreporter.write_line(line)
        for text in self.broken:
            terminalreporter.write_line(text)

    def pytest_unconfigure(self) -> None:
        """Write the report, even of a run that did not start or was interrupted."""
        path: Path | None = self.config.getoption("report")
        if path is None:
            return
        engines = {
            column: asdict(engine) for column, engine in self.config.stash.setdefault(ENGINES_UNDER_TEST, {}).items()
        }
        errors = [*filter(None, [self.config.stash.get(MISUSE, None)]), *self.broken]
        document = {**document_of(self.table()), "engines": engines, "errors": errors}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")

    def table(self) -> Table:
        """Return the outcomes so far, including tests that were left out."""
        table = outcomes(self.reports)
        for left_out in self.config.stash.setdefault(NOT_OFFERED, []):
            for promise_id in left_out.promises:
                table.setdefault(promise_id, {}).setdefault(left_out.column, "unsupported")
        return table


def pytest_configure(config: pytest.Config) -> None:
    """Record the run."""
    config.pluginmanager.register(OutcomeRecorder(config), "contracts-recorder")


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


def _outcome(report: pytest.TestReport) -> Outcome | None:
    """Return the outcome in a report; None for a successful set-up or tear-down."""
    if report.failed:
        return "failed"
    if report.skipped:
        if hasattr(report, "wasxfail"):
            return "gap"
        return "claimed" if f"Skipped: {CLAIMED}: " in report.longreprtext else "unsupported"
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
    """Return the table with its date, platform and versions."""
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
