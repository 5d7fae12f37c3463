"""Appends of this process, sent together: whoever asks while one transaction commits shares the next one."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import orjson
from psycopg.rows import TupleRow

from backends.appending import Batch, Prepared, conflict, counted, growth
from backends.ports.errors import StoreError, Unavailable
from backends.ports.events import MAX_EVENTS_PER_BATCH, Appended, Expectation, Expected, StreamName
from backends.postgres.connections import Connections

MAX_TOGETHER: Final = 64

_APPEND: Final = "SELECT * FROM append(%s, %s::json, %s::json, %s::json, %s::bigint)"
_EXPECTED: Final = {Expected.ANY: -1, Expected.EXISTS: -2, Expected.NEW: 0}

_Result: TypeAlias = tuple[int, int | None, int, list[str] | None, list[int] | None]
"""The last position, which write is refused, the version it found, and the streams with their versions."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """An append and whoever waits for its answer."""

    batch: Batch
    answer: "asyncio.Future[Appended]"


class Appender:
    """Sends appends, one transaction at a time: all of them want the same lock."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._waiting: deque[_Asked] = deque()
        self._sending: asyncio.Task[None] | None = None

    async def append(self, batch: Batch) -> Appended:
        """Return what the append did. Raises `Conflict`, and what `Connections.use` raises."""
        asked = _Asked(batch, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())
        return await asked.answer

    async def close(self) -> None:
        """Wait for what was asked for; repeatable."""
        if self._sending is not None:
            await asyncio.wait((self._sending,))

    async def _send(self) -> None:
        group: list[_Asked] = []
        try:
            while group := self._next():
                await self._answer(group)
        finally:
            for asked in (*group, *self._waiting):
                _fail(asked, Unavailable("the log stopped before this was appended"))
            self._waiting.clear()

    def _next(self) -> list[_Asked]:
        group: list[_Asked] = []
        size = 0
        while self._waiting and len(group) < MAX_TOGETHER:
            size += self._waiting[0].batch.size
            if group and size > MAX_EVENTS_PER_BATCH:
                break
            asked = self._waiting.popleft()
            if not asked.answer.done():
                group.append(asked)
        return group

    async def _answer(self, group: Sequence[_Asked]) -> None:
        try:
            rows = await self._run(group)
        except StoreError as problem:
            if problem.retryable:
                # Those behind would wait for the same server for as long again.
                for asked in (*group, *self._waiting):
                    _fail(asked, problem)
                self._waiting.clear()
            elif len(group) == 1:
                _fail(group[0], problem)
            else:
                for asked in group:
                    await self._answer([asked])
            return
        for asked, row in zip(group, rows, strict=True):
            _tell(asked, row)

    async def _run(self, group: Sequence[_Asked]) -> Sequence[TupleRow | None]:
        async with self._connections.use() as connection:
            if len(group) == 1:
                cursor = await connection.execute(_APPEND, _values(group[0].batch))
                return [await cursor.fetchone()]
            async with connection.pipeline(), connection.transaction():
                cursors = [await connection.execute(_APPEND, _values(asked.batch)) for asked in group]
                return [await cursor.fetchone() for cursor in cursors]


def _values(batch: Batch) -> tuple[str, str, str, str, int]:
    written = [write for write in batch.writes if write.rows]
    facts = [
        {"owner": owner, "number": number, "id": fact[0], "type": fact[1], "schema": fact[2], "at": fact[3],
         "data": fact[4], "meta": fact[5]}
        for owner, write in enumerate(written, 1)
        for number, fact in enumerate(write.rows, 1)
    ]  # fmt: skip
    grown = [{"name": name, "events": events, "last": last} for name, (events, last) in growth(batch.writes).items()]
    writes = [_write(write) for write in batch.writes]
    return batch.id, _json(writes), _json(facts), _json(grown), batch.size


def _write(write: Prepared) -> dict[str, str | int | None]:
    p1, p2 = counted(write.stream)
    expected = _number(write.expected)
    return {"stream": write.stream, "expected": expected, "added": len(write.rows), "p1": p1, "p2": p2}


def _number(expected: Expectation) -> int:
    return _EXPECTED[expected] if isinstance(expected, Expected) else expected


def _tell(asked: _Asked, row: TupleRow | None) -> None:
    if row is None or asked.answer.done():
        return
    result: _Result = row
    position, refused, found, streams, versions = result
    if refused is not None:
        write = asked.batch.writes[refused - 1]
        if (problem := conflict(write.stream, write.expected, found)) is not None:
            asked.answer.set_exception(problem)
            return
    named = {StreamName(stream): version for stream, version in zip(streams or (), versions or (), strict=True)}
    asked.answer.set_result(Appended(named, position))


def _fail(asked: _Asked, problem: StoreError) -> None:
    if not asked.answer.done():
        asked.answer.set_exception(problem)


def _json(rows: "list[dict[str, str | int]] | list[dict[str, str | int | None]]") -> str:
    return orjson.dumps(rows).decode()
