"""The limit of values in a message: an argument that exceeds it is left out before it is decoded, and the tool refuses it.

Decoding and checking a million values blocks the event loop for seconds, because no library yields meanwhile. So they are
counted first, in whole arrays of bytes and without holding the GIL.
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
"""Items of lists and fields of objects in one message at all depths; an empty list or object counts as one."""

_LEFT_OUT: Final = f"left out {secrets.token_hex(16)}"
"""The placeholder of an argument that was left out, which no client can know."""
_ARGUMENTS, _PARAMS = 3, 2
"""The depths of the arguments of a call, and of the fields of its `params`."""
_COMMA, _QUOTE = b',"'
_OPENING, _CLOSING = b"[{", b"]}"


async def within_limit(body: bytes) -> bytes | None:
    """Return a message with at most 20,000 values, None if the excess is not in a call's arguments.

    A placeholder that `left_out` finds replaces each argument with too many values, or all arguments if only together they
    have too many. A message that is not JSON is returned as it is, or as something that is not JSON either.
    """
    if not may_exceed_limit(body):
        return body
    return await anyio.to_thread.run_sync(_shortened, body)


def may_exceed_limit(body: bytes) -> bool:
    """Return False if a message certainly has at most 20,000 values, which is true of nearly every one."""
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
    """The commas and brackets of JSON outside of strings, in order."""

    places: "Numbers"
    levels: "Numbers"
    """The depth after each of them."""
    counts: "Numbers"
    """The number of them so far that are not closing brackets: a list or an object has one for each value."""

    @classmethod
    def of(cls, body: bytes) -> "_Structure":
        """Return the structure of JSON; takes about 20 ms for a megabyte of commas and brackets."""
        import numpy

        # Of the same length, without escaped quotes.
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
        """The number of values at all depths."""
        return int(self.counts[-1]) if len(self.counts) else 0

    def long_fields(self, depth: int) -> Iterator[tuple[int, int]]:
        """Yield start and stop of each list or object with too many values that is a field of an object at `depth`."""
        import numpy

        # A field lies between two of these: the opening bracket of its object, its commas, and its closing bracket.
        before = numpy.concatenate(([0], self.levels[:-1]))
        opened_or_next = (self.levels == depth) & (before <= depth)
        bounds = numpy.flatnonzero(opened_or_next | ((self.levels == depth - 1) & (before == depth)))
        for index in numpy.flatnonzero(numpy.diff(bounds) > MAX_VALUES):
            first, last = int(bounds[index]), int(bounds[index + 1])
            if self.levels[first] == depth and self.counts[last - 1] - self.counts[first] > MAX_VALUES:
                yield int(self.places[first + 1]), int(self.places[last])
