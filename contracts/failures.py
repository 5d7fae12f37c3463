"""Broken promises at the end of a run: each with its source, the tests that failed, and the command that runs it alone."""

import shlex
from collections.abc import Iterable, Sequence
from typing import cast

import pytest

from contracts.promises import PROMISE, manifest

COMMAND = pytest.StashKey[Sequence[str]]()
"""The command of the run, to which options of the suite are appended."""
MAX_TESTS = 3
"""How many tests are shown per promise; further ones rarely fail for another reason."""
MAX_MESSAGE = 1_000
"""A comparison of two replies may fill pages; its beginning says what differs."""
MAX_CAUSES = 4
"""How many exceptions of a group are named."""
MAX_CAUSE = 220
"""A line or two of a report."""


def failures_by_promise(reports: Iterable[pytest.TestReport]) -> dict[str, list[pytest.TestReport]]:
    """Return the failed reports by promise, sorted; those of tests without a promise under the empty id."""
    found: dict[str, list[pytest.TestReport]] = {}
    for report in reports:
        if report.failed:
            named = [str(value) for key, value in report.user_properties if key == PROMISE]
            for promise_id in named or [""]:
                found.setdefault(promise_id, []).append(report)
    return dict(sorted(found.items()))


def lines_of_failure(promise_id: str, reports: Sequence[pytest.TestReport], command: Sequence[str]) -> list[str]:
    """Return the report on a broken promise: the promise and its source, the failures, and the command to run."""
    if promise_id:
        known = manifest()[promise_id]
        lines = [promise_id, f"  {known.source}: {known.behaviour}"]
    else:
        lines = ["without a promise"]
    for report in reports[:MAX_TESTS]:
        lines += [f"  {report.nodeid}", *(f"    {line}" for line in message_of(report))]
    if len(reports) > MAX_TESTS:
        lines.append(f"  and {len(reports) - MAX_TESTS} more")
    if promise_id:
        lines.append(f"  run: {shlex.join([*command, '--promise', promise_id])}")
    return lines


def message_of(report: pytest.TestReport) -> list[str]:
    """Return the end of a failure in a few lines: the error, cut at 1,000 characters, and where it happened."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(getattr(crash, "message", None) or report.longreprtext)
    shown = [line for line in text[:MAX_MESSAGE].splitlines() if line.strip()][:4]
    when = "" if report.when == "call" else f"in {report.when}: "
    place = f" ({crash.path}:{crash.lineno})" if crash is not None else ""
    return [f"{when}{shown[0] if shown else 'failed'}{place}", *shown[1:]]


def name_causes(report: pytest.TestReport, error: BaseException) -> None:
    """Add the exceptions of a group to the message of a failure; pytest shows only their number."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None or not isinstance(error, BaseExceptionGroup):
        return
    causes = leaves_of(cast("BaseExceptionGroup[BaseException]", error))
    more = f"; and {len(causes) - MAX_CAUSES} more" if len(causes) > MAX_CAUSES else ""
    crash.message = f"{crash.message}: {'; '.join(map(_cause, causes[:MAX_CAUSES]))}{more}"


def leaves_of(group: "BaseExceptionGroup[BaseException]") -> list[BaseException]:
    """Return the exceptions of a group and of the groups in it."""
    leaves: list[BaseException] = []
    for each in group.exceptions:
        leaves += (
            leaves_of(cast("BaseExceptionGroup[BaseException]", each))
            if isinstance(each, BaseExceptionGroup)
            else [each]
        )
    return leaves


def _cause(error: BaseException) -> str:
    """Return an exception in one line, with its cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = ": ".join([type(error).__name__, *lines[:1]])
    led = "" if error.__cause__ is None else f" (from {_cause(error.__cause__)})"
    return f"{text[:MAX_CAUSE]}{led}"
