"""Lines out of chunks, within a limit."""

from collections.abc import Iterator


class TooLong:
    """Stands for a line beyond the limit; its bytes are gone."""


class Framer:
    """Cuts a stream of chunks into lines; a line beyond `limit` bytes comes out as `TooLong`, once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._held = 0
        self._skipping = False

    def feed(self, chunk: bytes) -> Iterator[bytes | TooLong]:
        """Return the lines that end within `chunk`, without their newline."""
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            yield from self._keep(end)
            if not self._skipping:
                yield b"".join(self._parts)
            self._parts, self._held, self._skipping = [], 0, False
        yield from self._keep(rest)

    def finish(self) -> bytes:
        """Return what came after the last newline."""
        return b"".join(self._parts)

    def _keep(self, part: bytes) -> Iterator[TooLong]:
        if self._skipping:
            return
        self._held += len(part)
        if self._held > self._limit:
            self._parts, self._skipping = [], True
            yield TooLong()
        elif part:
            self._parts.append(part)
