"""Progress of a run on standard error: a bar on a terminal, otherwise periodic lines."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from toolsets.concept_rag.pipeline.report import FileReport

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LINE_EVERY_S: Final = 10.0
"""Seconds between lines without a terminal."""
_STEADY_S: Final = 5.0
_STEADY_CHUNKS: Final = 50
"""Until this many seconds and chunks, the rate is dominated by the start and is not used."""


class Pace:
    """Progress and rate of a run by the bytes of its files; a file's bytes count in proportion to its embedded chunks."""

    def __init__(self) -> None:
        self.files = 0
        self.size = 0
        self.files_done = 0
        self.done = 0.0
        self.chunks = 0
        self._in_files: dict[str, float] = {}
        """Bytes done of each file that is under way: one is recorded while the next one is embedded."""
        self._chunks_in_files: dict[str, int] = {}
        self._began = time.monotonic()
        self._skipped = 0.0
        """Bytes of files that took no time, which are excluded from the rate."""

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Record the number of a file's chunks that have a vector."""
        self.chunks += max(0, done - self._chunks_in_files.get(path, done))
        self._chunks_in_files[path] = done
        self._in_files[path] = size * done / max(1, chunks)

    def finished(self, report: FileReport, size: int) -> None:
        """Record a finished file."""
        self.files_done += report.status != "removed"
        self.done += size
        self._in_files.pop(report.path, None)
        self._chunks_in_files.pop(report.path, None)
        if report.status not in ("added", "updated"):
            self._skipped += size

    @property
    def bytes_done(self) -> float:
        """Bytes done, of `size`."""
        return min(float(self.size), self.done + sum(self._in_files.values()))

    @property
    def chunks_per_second(self) -> float:
        """Embedded chunks per second."""
        return self.chunks / max(0.001, time.monotonic() - self._began)

    @property
    def remaining_s(self) -> float | None:
        """Seconds until the end at the rate so far; None until the rate is steady."""
        worked = self.bytes_done - self._skipped
        elapsed = time.monotonic() - self._began
        if worked <= 0 or elapsed < _STEADY_S or self.chunks < _STEADY_CHUNKS:
            return None
        return (self.size - self.bytes_done) * elapsed / worked

    def sentence(self) -> str:
        """Return the progress as text."""
        remaining = self.remaining_s
        left = "" if remaining is None else f", about {_duration(remaining)} remaining"
        return f"{self.files_done} of {self.files} files, {self.chunks_per_second:.0f} chunks/s{left}"


class LineObserver:
    """Prints a line for each file, and the progress every ten seconds."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._next = time.monotonic() + LINE_EVERY_S

    def started(self, files: int, size: int) -> None:
        """Record the totals."""
        self._pace.files, self._pace.size = files, size

    def finished(self, report: FileReport, size: int) -> None:
        """Print the result of a file."""
        self._pace.finished(report, size)
        click.echo(report.line())
        self._print_progress()

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Print the progress if ten seconds have passed."""
        self._pace.working(path, done, chunks, size)
        self._print_progress()

    def _print_progress(self) -> None:
        if (now := time.monotonic()) >= self._next:
            self._next = now + LINE_EVERY_S
            click.echo(self._pace.sentence(), err=True)


class BarObserver:
    """Prints a line for each file above a bar with rate and remaining time."""

    def __init__(self, bars: "Progress", bar: "TaskID") -> None:
        self._bars = bars
        self._bar = bar
        self._pace = Pace()

    def started(self, files: int, size: int) -> None:
        """Record the totals."""
        self._pace.files, self._pace.size = files, size
        self._show()

    def finished(self, report: FileReport, size: int) -> None:
        """Print the result of a file."""
        self._pace.finished(report, size)
        click.echo(report.line())
        self._show()

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Move the bar."""
        self._pace.working(path, done, chunks, size)
        self._show()

    def _show(self) -> None:
        self._bars.update(
            self._bar, completed=self._pace.bytes_done, total=max(1, self._pace.size), said=self._pace.sentence()
        )


@contextmanager
def observer_for_people() -> Generator[LineObserver | BarObserver]:
    """Show the progress inside the block: a bar if standard error is a terminal, else plain lines."""
    if not sys.stderr.isatty():
        yield LineObserver()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.fields[said]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield BarObserver(bars, bars.add_task("", total=None, said=""))


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
