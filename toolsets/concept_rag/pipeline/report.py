"""What a run did: a report for each file, and the sums."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Literal, Protocol, TypeAlias, get_args

from backends.ports.values import Json, JsonObject

Status: TypeAlias = Literal["added", "updated", "unchanged", "removed", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of a file."""

    path: str
    """Absolute."""
    status: Status
    reason: str | None = None
    catalog_id: int | None = None
    pages: int | None = None
    chunks: int | None = None
    concepts: int | None = None
    visuals: int | None = None

    def as_json(self) -> JsonObject:
        """Return the fields that are known."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def line(self) -> str:
        """Return a line for people."""
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
    """How many files ended how."""

    counts: Counter[str] = field(default_factory=Counter[str])
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether a file failed."""
        return self.counts["failed"] > 0

    def as_json(self) -> JsonObject:
        """Return the counts of all statuses, and the seconds."""
        counted: dict[str, Json] = {status: self.counts[status] for status in get_args(Status)}
        return {"summary": {**counted, "seconds": round(self.seconds, 3)}}

    def line(self) -> str:
        """Return a line for people."""
        counted = ", ".join(f"{self.counts[status]} {status}" for status in get_args(Status))
        return f"{counted} in {self.seconds:.1f} s"


class Observer(Protocol):
    """Learns how a run goes on; its methods return at once."""

    def started(self, files: int, size: int) -> None:
        """Take the number of files that were found, and their bytes."""
        ...

    def finished(self, report: FileReport, size: int) -> None:
        """Take what became of a file of `size` bytes."""
        ...

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Learn that `done` of a file's `chunks` have a vector now."""
        ...


class Silent:
    """An observer that nobody listens to."""

    def started(self, files: int, size: int) -> None:
        """Do nothing."""

    def finished(self, report: FileReport, size: int) -> None:
        """Do nothing."""

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Do nothing."""
