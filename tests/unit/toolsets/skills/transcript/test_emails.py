"""Mail headers are read in time linear in the length of the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import pytest

from toolsets.skills.transcript.emails import read_thread


@dataclass
class _Counted(Sequence[str]):
    """Lines that count how often one is read."""

    lines: Sequence[str]
    reads: int = 0

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        self.reads += 1
        return self.lines[at]


@pytest.mark.parametrize("line", ["From: a", "To: a", "Subject: a", "Sent: a", "**From:** a"])
def test_a_repeated_header_is_read_a_few_times_at_most(line: str) -> None:
    lines = _Counted([line] * 500)
    read_thread(lines)
    assert lines.reads < 10 * len(lines)
