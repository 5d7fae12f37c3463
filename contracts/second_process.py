"""A second process with the engine under test: it opens the same store, writes, reads, and may be killed.

The process is this module, run by name. It reads one JSON object per line and answers each with one.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, cast

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from backends.kit.child_process import child_command, child_environment
from backends.ports.adapter import Adapter, Engine
from backends.ports.capabilities import PortName
from backends.ports.embedder import Embedder
from backends.ports.errors import AlreadyOpen, StoreError
from backends.ports.ids import namespace
from backends.ports.values import Json, JsonObject
from backends.stores import open_engine
from contracts.ports import event_records, graph_records, vector_records

ANSWER_S = 120.0
"""How long an answer may take: loading a large model takes long on a small machine."""
_MAX_LINE = 1 << 20
"""An answer is one line, with at most a few hundred records."""


class AdapterNotImportable(Exception):
    """A second process cannot open the engine, because it cannot import the adapter; the message says why."""


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """What to open: an adapter by its module and name, its options, and the names of one trial."""

    module: str
    adapter: str
    options: Mapping[str, Json]
    directory: str
    namespace: str
    """Of the trial's graph and vectors."""
    prefix: str
    """Of the trial's streams."""
    ports: Sequence[PortName]

    async def open(self) -> Engine:
        """Open the engine, whose ports check their arguments. Raises `AdapterNotImportable` and what the adapter raises."""
        try:
            found: object = getattr(import_module(self.module), self.adapter)
            adapter = cast("Adapter", found() if isinstance(found, type) else found)
        except (ImportError, AttributeError, TypeError) as error:
            raise AdapterNotImportable(f"a second process cannot import the adapter: {error}") from error
        return await open_engine(adapter, self.options, Path(self.directory))

    async def write(self, engine: Engine, name: str) -> None:
        """Store a record called `name` in every port that stores something."""
        if "graph" in self.ports:
            await graph_records.fill(await engine.graph(namespace(self.namespace)), graph_records.node(name))
        if "vectors" in self.ports:
            await vector_records.fill(await engine.vectors(namespace(self.namespace)), vector_records.record(name))
        if "events" in self.ports:
            await event_records.record(await engine.events(), f"{self.prefix}{name}")

    async def read(self, engine: Engine) -> dict[str, list[Json]]:
        """Return by port the stored names, sorted, or the answer of another port; for a failed port, its error."""
        found: dict[str, list[Json]] = {}
        for port in self.ports:
            try:
                found[port] = await self._read(engine, port)
            except StoreError as error:
                found[port] = [f"{type(error).__name__}: {error}"]
        return found

    async def _read(self, engine: Engine, port: PortName) -> list[Json]:
        match port:
            case "graph":
                return [*sorted(await graph_records.names_found(await engine.graph(namespace(self.namespace))))]
            case "vectors":
                return [*sorted(await vector_records.names_stored(await engine.vectors(namespace(self.namespace))))]
            case "events":
                recorded = await (await engine.events()).read_all(self.prefix)
                return [*sorted(event.stream.removeprefix(self.prefix) for event in recorded)]
            case "embedder":
                return await _embedded(await engine.embedder())
            case "language":
                return [(await engine.language()).model]


async def _embedded(embedder: Embedder) -> list[Json]:
    [row] = await embedder.embed(["the same text in two processes"])
    return [round(float(number), 4) for number in row]


def reference_to(adapter: Adapter) -> tuple[str, str]:
    """Return the module and the name by which another process imports the adapter. Raises `AdapterNotImportable`."""
    module = type(adapter).__module__
    held = vars(sys.modules[module])
    for wanted in (adapter, type(adapter)):
        for name, value in held.items():
            if value is wanted:
                return module, name
    raise AdapterNotImportable(f"a second process cannot find the adapter: {module} does not hold it under a name")


class SecondProcess:
    """The second process, seen from the suite's own process."""

    def __init__(self, process: Process, stderr: IO[bytes]) -> None:
        self._process = process
        self._stderr = stderr
        assert process.stdout is not None
        self._answers = BufferedByteReceiveStream(process.stdout)

    async def ask(self, do: str, **arguments: Json) -> JsonObject:
        """Have it `open`, `write` or `read`. Raises `AdapterNotImportable`, and `AssertionError` if it ends or is silent."""
        assert self._process.stdin is not None
        try:
            with anyio.fail_after(ANSWER_S):
                await self._process.stdin.send(json.dumps({"do": do, **arguments}).encode() + b"\n")
                line = await self._answers.receive_until(b"\n", _MAX_LINE)
        except (anyio.IncompleteRead, anyio.EndOfStream, anyio.BrokenResourceError, TimeoutError):
            self._stderr.seek(0)
            last = self._stderr.read()[-2_000:].decode(errors="replace")
            raise AssertionError(f"the second process did not {do}:\n{last}") from None
        answer: JsonObject = json.loads(line)
        if "cannot" in answer:
            raise AdapterNotImportable(str(answer["cannot"]))
        return answer

    async def kill(self) -> None:
        """Kill it; repeatable."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


@asynccontextmanager
async def second_process(trial: TrialSpec) -> AsyncGenerator[SecondProcess]:
    """Start a process that knows what to open and has opened nothing yet; it is always ended."""
    with tempfile.TemporaryFile() as stderr:
        command = child_command("-m", "contracts.second_process")
        async with await anyio.open_process(
            command, stdin=subprocess.PIPE, stderr=stderr, env=child_environment()
        ) as process:
            running = SecondProcess(process, stderr)
            try:
                # Not as an argument, which every user of the machine can read: options may contain a password.
                await running.ask("know", trial=asdict(trial))
                yield running
            finally:
                await running.kill()


async def _serve() -> None:
    """Answer line by line until the input ends; the first line says what to open."""
    trial = TrialSpec(**json.loads(sys.stdin.readline())["trial"])
    print("{}", flush=True)  # noqa: T201 -- the answer
    engine: Engine | None = None
    while line := await anyio.to_thread.run_sync(sys.stdin.readline):
        asked: dict[str, str] = json.loads(line)
        answer: JsonObject = {}
        if asked["do"] == "open":
            try:
                engine = await trial.open()
            except AlreadyOpen as error:
                answer = {"refused": str(error)}
            except AdapterNotImportable as error:
                answer = {"cannot": str(error)}
        elif engine is None:
            raise RuntimeError("nothing is open")
        elif asked["do"] == "write":
            await trial.write(engine, asked["name"])
        else:
            answer = {port: found for port, found in (await trial.read(engine)).items()}
        print(json.dumps(answer), flush=True)  # noqa: T201 -- the answer


if __name__ == "__main__":
    anyio.run(_serve)
