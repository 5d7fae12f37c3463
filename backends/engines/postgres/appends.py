"""Appends of this process, sent together: those that arrive while a transaction commits share the next one."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import orjson
from psycopg.rows import TupleRow

from backends.engines.postgres.connection import ConnectionPool
from backends.kit.event_rows import BatchRows, WriteRows, conflict, counted_prefixes, prefix_growth
from backends.ports.errors import StoreError, Unavailable
from backends.ports.events import MAX_EVENTS_PER_BATCH, Appended, Expectation, Expected, StreamName

MAX_TOGETHER: Final = 64
"""The lock and the commit are paid once for all of them; a refused group is appended one by one."""

_APPEND: Final = "SELECT * FROM append(%s, %s::json, %s::json, %s::json, %s::bigint)"
_EXPECTED: Final = {Expected.ANY: -1, Expected.EXISTS: -2, Expected.NEW: 0}

_Result: TypeAlias = tuple[int, int | None, int, list[str] | None, list[int] | None]
"""The last position, the number of a refused write, the version it found, and the streams with their versions."""


@dataclass(frozen=True, slots=True)
class _Append:
    """An append, and the future of its result."""

    batch: BatchRows
    answer: "asyncio.Future[Appended]"


class Appender:
    """Sends appends, one transaction at a time, because all need the same lock."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections
        self._waiting: deque[_Append] = deque()
        self._sending: asyncio.Task[None] | None = None

    async def append(self, batch: BatchRows) -> Appended:
        """Return the result of the append. Raises `Conflict`, and what `ConnectionPool.use` raises."""
        each = _Append(batch, asyncio.get_running_loop().create_future())
        self._waiting.append(each)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())
        return await each.answer

    async def close(self) -> None:
        """Wait for running appends; repeatable."""
        if self._sending is not None:
            await asyncio.wait((self._sending,))

    async def _send(self) -> None:
        group: list[_Append] = []
        try:
            while group := self._next():
                await self._answer(group)
        finally:
            for each in (*group, *self._waiting):
                _fail(each, Unavailable("the log stopped before this was appended"))
            self._waiting.clear()

    def _next(self) -> list[_Append]:
        group: list[_Append] = []
        size = 0
        while self._waiting and len(group) < MAX_TOGETHER:
            size += self._waiting[0].batch.size
            if group and size > MAX_EVENTS_PER_BATCH:
                break
            each = self._waiting.popleft()
            if not each.answer.done():
                group.append(each)
        return group

    async def _answer(self, group: Sequence[_Append]) -> None:
        try:
            rows = await self._run(group)
        except StoreError as problem:
            if problem.retryable:
                # Later appends would wait for the same server just as long.
                for each in (*group, *self._waiting):
                    _fail(each, problem)
                self._waiting.clear()
            elif len(group) == 1:
                _fail(group[0], problem)
            else:
                for each in group:
                    await self._answer([each])
            return
        for each, row in zip(group, rows, strict=True):
            _answer_with(each, row)

    async def _run(self, group: Sequence[_Append]) -> Sequence[TupleRow | None]:
        async with self._connections.use() as connection:
            if len(group) == 1:
                cursor = await connection.execute(_APPEND, _values(group[0].batch))
                return [await cursor.fetchone()]
            async with connection.pipeline(), connection.transaction():
                cursors = [await connection.execute(_APPEND, _values(each.batch)) for each in group]
                return [await cursor.fetchone() for cursor in cursors]


def _values(batch: BatchRows) -> tuple[str, str, str, str, int]:
    written = [write for write in batch.writes if write.rows]
    facts = [
        {"owner": owner, "number": number, "id": fact[0], "type": fact[1], "schema": fact[2], "at": fact[3],
         "data": fact[4], "meta": fact[5]}
        for owner, write in enumerate(written, 1)
        for number, fact in enumerate(write.rows, 1)
    ]  # fmt: skip
    grown = [
        {"name": name, "events": events, "last": last} for name, (events, last) in prefix_growth(batch.writes).items()
    ]
    writes = [_write(write) for write in batch.writes]
    return batch.id, _json(writes), _json(facts), _json(grown), batch.size


def _write(write: WriteRows) -> dict[str, str | int | None]:
    p1, p2 = counted_prefixes(write.stream)
    expected = _number(write.expected)
    return {"stream": write.stream, "expected": expected, "added": len(write.rows), "p1": p1, "p2": p2}


def _number(expected: Expectation) -> int:
    return _EXPECTED[expected] if isinstance(expected, Expected) else expected


def _answer_with(each: _Append, row: TupleRow | None) -> None:
    if row is None or each.answer.done():
        return
    result: _Result = row
    position, refused, found, streams, versions = result
    if refused is not None:
        write = each.batch.writes[refused - 1]
        if (problem := conflict(write.stream, write.expected, found)) is not None:
            each.answer.set_exception(problem)
            return
    named = {StreamName(stream): version for stream, version in zip(streams or (), versions or (), strict=True)}
    each.answer.set_result(Appended(named, position))


def _fail(each: _Append, problem: StoreError) -> None:
    if not each.answer.done():
        each.answer.set_exception(problem)


def _json(rows: "list[dict[str, str | int]] | list[dict[str, str | int | None]]") -> str:
    return orjson.dumps(rows).decode()
