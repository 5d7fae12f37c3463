"""Calls with too many values: an argument that has them is left out before anything decodes it, and the tool refuses it.

Decoding and checking a million values stops the event loop for seconds, and no library gives way meanwhile. So they are
counted first, by whole arrays of bytes, which other threads do not wait for.
"""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import anyio.to_thread
import orjson

from backends.ports.values import Json
from toolsets.spec import Problem

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[numpy.uint8]
    Numbers: TypeAlias = NDArray[numpy.int32]

MAX_VALUES: Final = 20_000
"""Items of lists and fields of objects in one message, over all depths; an empty list or object counts as one more."""

_LEFT_OUT: Final = f"left out {secrets.token_hex(16)}"
"""Stands in the place of what was left out; nobody outside can know it."""
_ARGUMENTS, _PARAMS = 3, 2
"""The depths at which the arguments of a call stand, and the fields of its `params`."""
_COMMA, _QUOTE = b',"'
_OPENING, _CLOSING = b"[{", b"]}"


async def within_limit(body: bytes) -> bytes | None:
    """Return a message with at most 20,000 values, None for one that has them elsewhere than in a call's arguments.

    In the place of each argument with too many, or of all arguments where only together they are too many, is a mark
    that `left_out` finds. A message that is no JSON is returned as it is, or as something that is no JSON either.
    """
    if not may_exceed_limit(body):
        return body
    return await anyio.to_thread.run_sync(_shortened, body)


def may_exceed_limit(body: bytes) -> bool:
    """Return False for a message that has at most 20,000 values for certain: for nearly every one."""
    return len(body) > MAX_VALUES and sum(map(body.count, (b",", b"[", b"{"))) > MAX_VALUES


async def exceeds_limit(body: bytes) -> bool:
    """Return whether JSON has more than 20,000 values."""
    return may_exceed_limit(body) and await anyio.to_thread.run_sync(lambda: _Structure.of(body).values > MAX_VALUES)


def left_out(arguments: Mapping[str, Json]) -> list[Problem]:
    """Return a problem for each argument that was left out."""
    if _LEFT_OUT in arguments:
        return [Problem("breach", "", _sentence("the call"))]
    return [Problem("breach", name, _sentence(name)) for name, value in arguments.items() if value == _LEFT_OUT]


def _sentence(name: str) -> str:
    return f"{name:.80} should have at most {MAX_VALUES} values"


def _shortened(body: bytes) -> bytes | None:
    mark = orjson.dumps(_LEFT_OUT)
    for depth, put in ((_ARGUMENTS, mark), (_PARAMS, b"{" + mark + b":null}")):
        structure = _Structure.of(body)
        if structure.values <= MAX_VALUES:
            return body
        parts: list[bytes] = []
        end = 0
        for start, stop in structure.long_fields(depth):
            parts += (body[end:start], put)
            end = stop
        body = b"".join((*parts, body[end:]))
    return body if _Structure.of(body).values <= MAX_VALUES else None


@dataclass(frozen=True, slots=True)
class _Structure:
    """The commas and brackets of JSON that stand outside of strings, in their order."""

    places: "Numbers"
    levels: "Numbers"
    """The depth behind each."""
    counts: "Numbers"
    """How many of them, each included, are no closing brackets: a list or an object has as many as values."""

    @classmethod
    def of(cls, body: bytes) -> "_Structure":
        """Find them; takes about 20 ms for a megabyte of nothing else."""
        import numpy

        # Of the same length, without quotes that end no string.
        plain = body.replace(b"\\\\", b"__").replace(b'\\"', b"__") if b"\\" in body else body
        codes: Bytes = numpy.frombuffer(plain, numpy.uint8)
        outside = numpy.cumsum(codes == _QUOTE, dtype=numpy.uint8) & 1 == 0
        opening = ((codes == _OPENING[0]) | (codes == _OPENING[1])) & outside
        closing = ((codes == _CLOSING[0]) | (codes == _CLOSING[1])) & outside
        places: Numbers = numpy.flatnonzero(opening | closing | ((codes == _COMMA) & outside)).astype(numpy.int32)
        closes = closing[places]
        steps = opening[places].astype(numpy.int32) - closes
        return cls(places, numpy.cumsum(steps, dtype=numpy.int32), numpy.cumsum(~closes, dtype=numpy.int32))

    @property
    def values(self) -> int:
        """How many values there are, at any depth."""
        return int(self.counts[-1]) if len(self.counts) else 0

    def long_fields(self, depth: int) -> Iterator[tuple[int, int]]:
        """Yield start and stop of the lists and objects with too many values that are fields of an object at `depth`."""
        import numpy

        # A field stands between two of these: the bracket that opens its object, the commas in it, and that which closes it.
        before = numpy.concatenate(([0], self.levels[:-1]))
        opened_or_next = (self.levels == depth) & (before <= depth)
        bounds = numpy.flatnonzero(opened_or_next | ((self.levels == depth - 1) & (before == depth)))
        for index in numpy.flatnonzero(numpy.diff(bounds) > MAX_VALUES):
            first, last = int(bounds[index]), int(bounds[index + 1])
            if self.levels[first] == depth and self.counts[last - 1] - self.counts[first] > MAX_VALUES:
                yield int(self.places[first + 1]), int(self.places[last])
