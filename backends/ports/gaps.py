"""Known gaps: promises an adapter does not keep, declared beside it; kept separate because authors of adapters import it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

GapKind: TypeAlias = Literal["never", "notyet", "notimpl"]
"""`never`: the engine cannot; `notyet`: the engine could, but does not; `notimpl`: the adapter could, but does not."""


@dataclass(frozen=True, slots=True)
class KnownGap:
    """A promise that an engine does not keep. An adapter's module lists its own in `KNOWN_GAPS: tuple[KnownGap, ...]`.

    The suite requires that the promise fails with `error`: a run fails if the gap has closed or if another error is raised.
    """

    promise: str
    kind: GapKind
    error: type[Exception]
    reason: str
    link: str
    """Where the gap is explained or tracked."""
