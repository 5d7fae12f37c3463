"""Recorded sessions: a toolset's replies to the same calls, with seeded ids and clock, must not depend on its engines."""

import json
import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias, cast

import anyio
from pydantic import BaseModel, ConfigDict, JsonValue

from backends.ports.values import Json, JsonObject, Micros
from backends.stores import OpenStores
from config.settings import ToolsetTable
from config.sources import load
from contracts.corpus import seeded
from gateway.assignment import assignments
from toolsets.spec import BackgroundTask, CallContext, RunningToolset, Services, ToolSpec

SEED = 20_250_101
START = Micros(1_790_000_000_000_000)
BETWEEN_CALLS = 1_000_000
"""Microseconds from one call to the next; within a call the clock does not advance."""
CLOSE = 0.02
"""How much scores of one text may differ between two engines and two kinds of processor.

Engines differ by 0.005. The model rounds its inputs to eight bits, and a processor with other vector instructions rounds some of
them differently, which changes a cosine by up to 0.01.
"""
ROUNDING = 0.001
"""How much more they may differ if they are texts of three decimals."""
SCORES = ("similarity", "score", "concept_density")
"""Fields that contain scores, as numbers or as texts."""
RANKED = ("primary_concepts", "related_concepts", "concepts")
"""Fields that contain texts in the order of scores that are not shown; their order may differ."""
NUMBERED_ROW = re.compile(r"^\| \d+ (\|.*)$", re.MULTILINE)
"""A row of a Markdown table that is numbered in the order of such scores; the order may differ, too."""
DATA = "$DATA"
"""Stands for the data directory in a record."""


class SessionStep(BaseModel):
    """A call of a session, with its reply if that is recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    arguments: dict[str, JsonValue]
    channel: str | None = None
    """What the connection that makes the call is bound to."""
    reply: dict[str, JsonValue] = {}

    @property
    def call(self) -> tuple[str, dict[str, JsonValue], str | None]:
        """The step without the reply."""
        return self.tool, self.arguments, self.channel


Preparation: TypeAlias = Callable[[RunningToolset, Path], Awaitable[None]]
"""Fills the stores before the first call, with files in the data directory if it needs any."""
Script: TypeAlias = Callable[[random.Random], Generator[SessionStep, JsonObject, None]]
"""Yields calls, and is sent the reply to each."""


@dataclass(frozen=True, slots=True)
class Session:
    """A script for a toolset, its number of calls, the toolset's settings, and its preparation."""

    toolset: str
    script: Script
    calls: int
    settings: Mapping[str, Json] = field(default_factory=dict[str, Json])
    prepare: Preparation | None = None

    def recorded(self) -> list[SessionStep]:
        """Return the steps of the record, one JSON object a line."""
        # Split only here: texts contain other characters that Python treats as line ends.
        record = files(f"contracts.tools.{self.toolset}").joinpath("session.jsonl").read_bytes()
        return [SessionStep.model_validate_json(line) for line in record.split(b"\n") if line]

    async def played(self, profile: str, data: Path) -> list[SessionStep]:
        """Return the calls with their replies from the stores of a profile, which are empty at first."""
        async with _stage(profile, self, data) as stage:
            return await stage.play(self.script)


class _Clock:
    """A clock that only advances between calls."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> Micros:
        """Return the current time of the clock."""
        return self.now

    def advance(self) -> None:
        """Advance to the next call."""
        self.now = Micros(self.now + BETWEEN_CALLS)


@dataclass(frozen=True, slots=True)
class _Stage:
    """A toolset of a profile on empty stores."""

    tools: Mapping[str, ToolSpec]
    clock: _Clock
    data: Path

    async def play(self, script: Script) -> list[SessionStep]:
        """Return the calls of the script with their replies."""
        steps: list[SessionStep] = []
        calls = script(seeded(SEED))
        now = next(calls)
        while True:
            self.clock.advance()
            tool = self.tools[now.tool]
            reply = await tool.call(
                cast("Mapping[str, Json]", now.arguments),
                CallContext(now.tool, client="session", channel=now.channel),
            )
            said: JsonObject = json.loads(json.dumps(reply.structured).replace(str(self.data), DATA))
            steps.append(SessionStep.model_validate({**now.model_dump(), "reply": said}))
            try:
                now = calls.send(said)
            except StopIteration:
                return steps


@asynccontextmanager
async def _stage(profile: str, session: Session, data: Path) -> AsyncGenerator[_Stage]:
    """Run a toolset on the stores of a profile, in this process, with its background work beside the calls.

    That work uses no random numbers while the stores work, so that replies do not depend on when it runs.
    """
    settings = load({"profile": profile, "data_dir": str(data)}).settings
    [assigned] = assignments(settings, [session.toolset])
    found = assigned.toolset
    house = OpenStores(settings.stores, data)
    clock = _Clock()
    own = {**settings.toolsets.get(session.toolset, ToolsetTable()).own, **session.settings}
    stores, files = house.stores(**assigned.stores), data / session.toolset
    services = Services(stores, clock, seeded(SEED), found.settings.model_validate(own), files)
    try:
        async with found.assemble(services) as running:
            if running.open is not None:
                await running.open()
            if session.prepare is not None:
                await session.prepare(running, data)
            async with anyio.create_task_group() as group:
                for task in running.background:
                    group.start_soon(_work, task)
                yield _Stage({tool.name: tool for tool in running.tools}, clock, data)
                group.cancel_scope.cancel()
    finally:
        await house.close()


async def _work(task: BackgroundTask) -> None:
    await task.run()


def step(tool: str, arguments: JsonObject, channel: str | None = None) -> SessionStep:
    """Return a call without a reply."""
    return SessionStep.model_validate({"tool": tool, "arguments": dict(arguments), "channel": channel})


def changes(before: Sequence[SessionStep], now: Sequence[SessionStep]) -> Sequence[str]:
    """Return where a session differs from its record: another call, or another reply to the same call."""
    if len(before) != len(now):
        return [f"{len(before)} calls became {len(now)}"]
    lines: list[str] = []
    for number, (one, two) in enumerate(zip(before, now, strict=True)):
        if one.call != two.call:
            return [*lines, f"call {number}: {one.call} became {two.call}"]
        lines += [f"call {number}: {one.call}: {line}" for line in differences(one.reply, two.reply)]
    return lines


def differences(recorded: Json, played: Json, place: str = "reply") -> Sequence[str]:
    """Return where two replies differ. Scores may differ by 0.02, and rows that close may change places.

    So may rows that close to the last one of a list, with rows beyond its end.
    """
    if isinstance(recorded, bool) or isinstance(played, bool):
        return [] if recorded is played else [f"{place}: {recorded!r} became {played!r}"]
    if _apart(recorded, played, place):
        return [f"{place}: {recorded!r} became {played!r}"]
    if isinstance(recorded, Mapping) and isinstance(played, Mapping):
        keys = sorted({*recorded, *played})
        return [line for key in keys for line in differences(recorded.get(key), played.get(key), f"{place}.{key}")]
    if isinstance(recorded, list) and isinstance(played, list) and len(recorded) == len(played):
        if place.rpartition(".")[2] in RANKED and sorted(map(str, recorded)) == sorted(map(str, played)):
            return []
        pairs = _matched(cast("Sequence[Json]", recorded), cast("Sequence[Json]", played))
        return [line for n, (one, two) in enumerate(pairs) for line in differences(one, two, f"{place}[{n}]")]
    return []


def _apart(recorded: Json, played: Json, place: str) -> bool:
    """Return whether two values differ too much, ignoring objects and lists of one length."""
    if isinstance(recorded, Mapping) and isinstance(played, Mapping):
        return False
    if isinstance(recorded, list) and isinstance(played, list):
        return len(recorded) != len(played)
    scores = [_number(value) for value in (recorded, played)]
    if place.rpartition(".")[2] in SCORES and None not in scores:
        return not _close(scores[0], scores[1])
    if isinstance(recorded, str) and isinstance(played, str):
        return _unranked(recorded) != _unranked(played)
    return recorded != played


def _unranked(text: str) -> tuple[str, Sequence[str]]:
    """Return a text without its numbered rows, and those without their numbers, sorted."""
    return NUMBERED_ROW.sub("", text), sorted(NUMBERED_ROW.findall(text))


def _number(value: Json) -> float | None:
    """Return a score, which may be a text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | float | int):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _close(one: float | None, two: float | None) -> bool:
    return one is not None and two is not None and abs(one - two) <= CLOSE + ROUNDING


def _matched(recorded: Sequence[Json], played: Sequence[Json]) -> Sequence[tuple[Json, Json]]:
    """Return the pairs of rows to compare; rows with almost equal scores may change places."""
    rest = list(played)
    pairs: list[tuple[Json, Json]] = []
    for row in recorded:
        near = [other for other in rest if _score(other) is not None and _near(row, other)]
        other = next((other for other in near if _without_score(other) == _without_score(row)), rest[0])
        rest.remove(other)
        pairs.append((row, other))
    return [pair for pair in pairs if not _may_be_cut(pair, recorded[-1], played[-1])]


def _may_be_cut(pair: tuple[Json, Json], *last: Json) -> bool:
    """Return whether two rows are different records, each so close to the end of its list that it may be cut off."""
    scored = all(_score(row) is not None for row in (*pair, *last))
    others = _without_score(pair[0]) != _without_score(pair[1])
    return scored and others and all(_near(row, end) for row, end in zip(pair, last, strict=True))


def _near(one: Json, two: Json) -> bool:
    return _close(_score(one), _score(two))


def _score(row: Json) -> float | None:
    return next((_number(row[name]) for name in SCORES if name in row), None) if isinstance(row, Mapping) else None


def _without_score(row: Json) -> Json:
    return {key: value for key, value in row.items() if key not in SCORES} if isinstance(row, Mapping) else row
