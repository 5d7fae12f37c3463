"""The results of a run: a report for each file, and the totals."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Literal, Protocol, TypeAlias, get_args

from backends.ports.values import Json, JsonObject

Status: TypeAlias = Literal["added", "updated", "unchanged", "removed", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of a file."""

    path: str
    """Absolute."""
    status: Status
    reason: str | None = None
    catalog_id: int | None = None
    pages: int | None = None
    chunks: int | None = None
    concepts: int | None = None
    visuals: int | None = None
    passing: bool = False
    """Whether the reason is not the file's content, such as its permissions, so that it may pass while the file is the same."""

    def as_json(self) -> JsonObject:
        """Return the fields that are known and of use to the reader."""
        return {name: value for name, value in asdict(self).items() if value is not None and name != "passing"}

    def line(self) -> str:
        """Return a human-readable line."""
        counts = (
            f"{count} {name if count != 1 else name.removesuffix('s')}"
            for name, count in (
                ("pages", self.pages),
                ("chunks", self.chunks),
                ("concepts", self.concepts),
                ("visuals", self.visuals),
            )
            if count is not None
        )
        said = ", ".join(counts)
        return f"{self.status:<9} {self.path}{f' ({said})' if said else ''}{f': {self.reason}' if self.reason else ''}"


@dataclass(slots=True)
class RunSummary:
    """The number of files by status."""

    counts: Counter[str] = field(default_factory=Counter[str])
    seconds: float = 0.0
    passing: list[str] = field(default_factory=list[str])
    """The files that were not ingested for a reason that may pass."""

    @property
    def failed(self) -> bool:
        """Whether any file failed."""
        return self.counts["failed"] > 0

    def as_json(self) -> JsonObject:
        """Return the counts of all statuses, and the seconds."""
        counted: dict[str, Json] = {status: self.counts[status] for status in get_args(Status)}
        return {"summary": {**counted, "seconds": round(self.seconds, 3)}}

    def line(self) -> str:
        """Return a human-readable line."""
        counted = ", ".join(f"{self.counts[status]} {status}" for status in get_args(Status))
        return f"{counted} in {self.seconds:.1f} s"


class Observer(Protocol):
    """Receives the progress of a run; its methods return at once."""

    def started(self, files: int, size: int) -> None:
        """Receive the number of files found, and their size in bytes."""
        ...

    def finished(self, report: FileReport, size: int) -> None:
        """Receive the result of a file of `size` bytes."""
        ...

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Receive the number of a file's `chunks` that have a vector (`done`)."""
        ...


class Silent:
    """An observer that ignores the progress."""

    def started(self, files: int, size: int) -> None:
        """Do nothing."""

    def finished(self, report: FileReport, size: int) -> None:
        """Do nothing."""

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Do nothing."""
