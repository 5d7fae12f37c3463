"""A graph in another process, for an engine whose driver cannot be loaded together with one that this process uses."""

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Collection, Iterable, KeysView, Mapping, Sequence, ValuesView
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias, cast

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from backends.kit.child_process import child_command, child_environment
from backends.ports import graph
from backends.ports.adapter import Engine, Health
from backends.ports.errors import StoreError, Unavailable
from backends.ports.filters import Filter
from backends.ports.graph import (
    MAX_HOPS,
    Direction,
    Edge,
    Expansion,
    Graph,
    GraphBatch,
    Group,
    KindSpec,
    Node,
    Order,
    Walk,
)
from backends.ports.values import EdgeId, Json, Namespace, NodeId, Page, Revision
from backends.registry import load_adapter

Call: TypeAlias = tuple[Namespace | None, str, tuple[object, ...], Mapping[str, object]]
"""The namespace of the graph, None for the engine itself; the method, and its arguments."""

LENGTH: Final = struct.Struct(">Q")
ENDED: Final = "the process that has the store open has ended; run the command again"
END_S: Final = 10.0
"""How long the process may take to end after its input is closed; then it is killed."""


async def open_in_subprocess(kind: str, options: Mapping[str, Json], directory: Path) -> "SubprocessEngine":
    """Open an engine in a new process; only its graph can be used. Raises what the adapter raises."""
    process = await anyio.open_process(
        child_command("-m", __name__), stderr=subprocess.DEVNULL, env=child_environment()
    )
    engine = SubprocessEngine(process)
    try:
        await engine.ask(None, "open", kind, options, directory)
    except BaseException:
        with anyio.CancelScope(shield=True):
            await engine.close()
        raise
    return engine


class SubprocessEngine(Engine):
    """An open engine in another process, which answers one call after the other and ends with this one."""

    def __init__(self, process: Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("stdin and stdout are pipes")
        self._process = process
        self._input = process.stdin
        self._output = BufferedByteReceiveStream(process.stdout)
        self._lock = anyio.Lock()
        self._ended = False

    async def ask(self, namespace: Namespace | None, method: str, /, *arguments: object, **named: object) -> object:
        """Return what a method returns there. Raises its `StoreError`, and `Unavailable` once the process has ended."""
        call: Call = (
            namespace,
            method,
            tuple(map(_portable, arguments)),
            {name: _portable(value) for name, value in named.items()},
        )
        task = pickle.dumps(call)
        async with self._lock:
            if self._ended:
                raise Unavailable(ENDED)
            try:
                await self._input.send(LENGTH.pack(len(task)) + task)
                [length] = LENGTH.unpack(await self._output.receive_exactly(LENGTH.size))
                answer = await self._output.receive_exactly(length)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.IncompleteRead) as problem:
                self._ended = True
                raise Unavailable(ENDED) from problem
            except anyio.get_cancelled_exc_class():
                # Its late answer would be mistaken for the answer to the next call.
                self._ended = True
                self._process.kill()
                raise
        result: object = pickle.loads(answer)  # noqa: S301 -- from our own code
        if isinstance(result, StoreError):
            raise result
        return result

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the graph of a namespace."""
        conditional_writes = bool(await self.ask(namespace, "conditional_writes"))
        return SubprocessGraph(self, namespace, conditional_writes=conditional_writes)

    async def verify(self) -> None:
        """Verify the engine there."""
        await self.ask(None, "verify")

    async def health(self) -> Health:
        """Ask the engine there."""
        try:
            return cast("Health", await self.ask(None, "health"))
        except StoreError as problem:
            return Health(ok=False, detail=str(problem))

    async def close(self) -> None:
        """Let the process close the engine and end."""
        await self._input.aclose()
        with anyio.move_on_after(END_S):
            await self._process.wait()
        if self._process.returncode is None:
            self._process.kill()
        await self._process.aclose()


class SubprocessGraph:
    """The graph of one namespace in another process: each method of `Graph` is called there."""

    def __init__(self, engine: SubprocessEngine, namespace: Namespace, *, conditional_writes: bool) -> None:
        self._ask = partial(engine.ask, namespace)
        self._conditional_writes = conditional_writes

    @property
    def conditional_writes(self) -> bool:
        """Whether the engine there rejects older revisions itself."""
        return self._conditional_writes

    async def ensure(self, kinds: Sequence[KindSpec]) -> None:
        """Declare kinds."""
        await self._ask("ensure", kinds)

    async def apply(self, batch: GraphBatch) -> None:
        """Apply a batch."""
        await self._ask("apply", batch)

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Return the live nodes among `ids`."""
        return cast("Mapping[NodeId, Node]", await self._ask("get_nodes", ids))

    async def get_edges(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Edge]:
        """Return the live edges among `ids`."""
        return cast("Mapping[EdgeId, Edge]", await self._ask("get_edges", ids))

    async def node_revisions(self, ids: Collection[NodeId]) -> Mapping[NodeId, Revision]:
        """Return the stored revisions of nodes."""
        return cast("Mapping[NodeId, Revision]", await self._ask("node_revisions", ids))

    async def edge_revisions(self, ids: Collection[EdgeId]) -> Mapping[EdgeId, Revision]:
        """Return the stored revisions of edges."""
        return cast("Mapping[EdgeId, Revision]", await self._ask("edge_revisions", ids))

    async def find(
        self,
        kind: str,
        where: Filter | None = None,
        *,
        order: Sequence[Order] = (),
        after: str | None = None,
        limit: int = 100,
    ) -> Page[Node]:
        """Return a page of live nodes."""
        found = await self._ask("find", kind, where, order=order, after=after, limit=limit)
        return cast("Page[Node]", found)

    async def scan_edges(self, *, after: str | None = None, limit: int = 1_000) -> Page[Edge]:
        """Return a page of edges."""
        return cast("Page[Edge]", await self._ask("scan_edges", after=after, limit=limit))

    async def expand(
        self,
        ids: Collection[NodeId],
        *,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit_per_node: int = 256,
    ) -> Expansion:
        """Return the edges of nodes."""
        found = await self._ask(
            "expand",
            ids,
            direction=direction,
            types=types,
            min_confidence=min_confidence,
            limit_per_node=limit_per_node,
        )
        return cast("Expansion", found)

    async def walk(
        self,
        start: NodeId,
        *,
        max_depth: int,
        direction: Direction = "both",
        types: Collection[str] | None = None,
        min_confidence: float = 0.0,
        limit: int = 1_000,
    ) -> Walk:
        """Return the nodes within `max_depth` hops."""
        found = await self._ask(
            "walk",
            start,
            max_depth=max_depth,
            direction=direction,
            types=types,
            min_confidence=min_confidence,
            limit=limit,
        )
        return cast("Walk", found)

    async def shortest_path(
        self,
        source: NodeId,
        target: NodeId,
        *,
        directed: bool = False,
        types: Collection[str] | None = None,
        max_hops: int = MAX_HOPS,
    ) -> graph.GraphPath | None:
        """Return a shortest path, None if there is none."""
        found = await self._ask("shortest_path", source, target, directed=directed, types=types, max_hops=max_hops)
        return cast("graph.GraphPath | None", found)

    async def count_nodes(self, kind: str, *, by: Sequence[str] = (), where: Filter | None = None) -> Sequence[Group]:
        """Count live nodes by fields."""
        return cast("Sequence[Group]", await self._ask("count_nodes", kind, by=by, where=where))

    async def count_edges(self) -> Mapping[str, int]:
        """Count edges by type."""
        return cast("Mapping[str, int]", await self._ask("count_edges"))

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value, None if there is none."""
        return cast("str | None", await self._ask("get_meta", key))

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value and return the one now in effect."""
        return cast("str", await self._ask("set_meta", key, value, if_absent=if_absent))

    async def drop(self) -> None:
        """Remove everything in the namespace."""
        await self._ask("drop")


def _portable(argument: object) -> object:
    """Return an argument that can be pickled: the views of a dictionary cannot."""
    return tuple(cast("Iterable[object]", argument)) if isinstance(argument, KeysView | ValuesView) else argument


class _Host:
    """The engine in the other process."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._graphs: dict[Namespace, Graph] = {}

    async def answer(self, call: Call) -> object:
        """Return the result of a call, or a `StoreError` if it failed."""
        try:
            return await self._result(*call)
        except StoreError as problem:
            return problem
        except Exception as problem:  # noqa: BLE001 -- every error is returned to the caller
            return StoreError(f"{type(problem).__name__}: {problem}")

    async def close(self) -> None:
        if self._engine is not None:
            await self._engine.close()

    async def _result(
        self, namespace: Namespace | None, method: str, arguments: tuple[object, ...], named: Mapping[str, object]
    ) -> object:
        if method == "open":
            kind, options, directory = cast("tuple[str, Mapping[str, Json], Path]", arguments)
            self._engine = await load_adapter(kind).open(options, directory)
            return None
        if self._engine is None:
            raise AssertionError("nothing was opened")
        if namespace is None:
            return await getattr(self._engine, method)(*arguments, **named)
        if namespace not in self._graphs:
            self._graphs[namespace] = await self._engine.graph(namespace)
        graph = self._graphs[namespace]
        if method == "conditional_writes":
            return graph.conditional_writes
        return await getattr(graph, method)(*arguments, **named)


async def _serve(calls: BinaryIO, answers: BinaryIO) -> None:
    """Answer calls until the input ends, which also happens when the caller ends."""
    host = _Host()
    while head := await anyio.to_thread.run_sync(calls.read, LENGTH.size):
        task = await anyio.to_thread.run_sync(calls.read, *LENGTH.unpack(head))
        answer = pickle.dumps(await host.answer(cast("Call", pickle.loads(task))))  # noqa: S301 -- from our own code
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()
    await host.close()


if __name__ == "__main__":
    # Engines may write to standard output, so answers have their own descriptor.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    anyio.run(_serve, sys.stdin.buffer, output)
