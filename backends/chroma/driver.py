"""What is needed of Chroma's client, typed: its collections, here called buckets, and the rows they answer with."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]

MetadataValue: TypeAlias = str | int | float | bool | list[str] | None
"""None removes the key from a stored record; a list that is left out would stay."""
Metadata: TypeAlias = Mapping[str, MetadataValue]
Where: TypeAlias = Mapping[str, object]

Runner: TypeAlias = Callable[[Callable[[], object]], Awaitable[object]]
"""Calls the client, waits for its answer with a bound, and translates its errors."""


class BucketGone(Exception):
    """The collection is not there, or no longer: a handle outlives what it stands for."""


class BucketTaken(Exception):
    """A collection of that name is there already."""


class NativeCollection(Protocol):
    """A collection of the client; the server's answers have to be awaited."""

    @property
    def metadata(self) -> Metadata | None:
        """What was noted with it when it was fetched."""
        ...

    def get(
        self,
        *,
        ids: list[str] | None,
        where: Where | None,
        limit: int | None,
        where_document: Where | None,
        include: list[str],
    ) -> object:
        """Return rows in storage order."""
        ...

    def query(
        self, *, query_embeddings: "list[Floats]", n_results: int, where: Where | None, include: list[str]
    ) -> object:
        """Return rows by distance."""
        ...

    def add(self, *, ids: list[str], embeddings: "Floats", metadatas: list[Metadata]) -> object:
        """Store what is not there yet; the rest is silently left as it is."""
        ...

    def upsert(
        self, *, ids: list[str], embeddings: "Floats", metadatas: list[Metadata], documents: list[str] | None
    ) -> object:
        """Store, merging with the keys that are there."""
        ...

    def delete(self, *, ids: list[str]) -> object:
        """Remove what is there."""
        ...

    def count(self) -> object:
        """Count."""
        ...


class NativeClient(Protocol):
    """The client; the server's answers have to be awaited."""

    def create_collection(
        self, name: str, *, configuration: Mapping[str, object], metadata: Metadata | None, embedding_function: None
    ) -> object:
        """Return a new collection."""
        ...

    def get_collection(self, name: str, *, embedding_function: None) -> object:
        """Return a collection."""
        ...

    def delete_collection(self, name: str) -> object:
        """Remove a collection."""
        ...

    def list_collections(self) -> object:
        """Return all collections."""
        ...


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of an answer; a part that was not asked for is empty."""

    ids: Sequence[str]
    metadatas: Sequence[Metadata] = ()
    documents: Sequence[str | None] = ()
    vectors: "Floats | Sequence[Sequence[float]]" = ()

    def matrix(self) -> "Floats":
        """Return the vectors as an array."""
        import numpy as np

        return np.asarray(self.vectors, dtype=np.float32)


EMPTY: Final = Rows(())
_Got: TypeAlias = Mapping[str, Sequence[object] | None]


class Bucket:
    """A collection of Chroma's."""

    def __init__(self, native: NativeCollection, run: Runner) -> None:
        self._native = native
        self._run = run
        self.notes: Metadata = native.metadata or {}

    async def get(
        self,
        *,
        ids: Sequence[str] | None = None,
        where: Where | None = None,
        containing: str | None = None,
        limit: int | None = None,
        include: Sequence[str] = (),
    ) -> Rows:
        """Return the rows with these ids (no doubles), or those that match, in no order."""
        if ids is not None and not ids:
            return EMPTY
        document = {"$contains": containing} if containing is not None else None
        answer = await self._run(
            lambda: self._native.get(
                ids=None if ids is None else [*ids],
                where=where,
                limit=limit,
                where_document=document,
                include=[*include],
            )
        )
        got = cast("_Got", answer)
        return _rows({part: found for part, found in got.items() if found is not None})

    async def nearest(self, vector: "Floats", count: int, where: Where | None, include: Sequence[str]) -> Rows:
        """Return about the `count` nearest rows, in no order; fewer than there are when the index missed some."""
        answer = await self._run(
            lambda: self._native.query(query_embeddings=[vector], n_results=count, where=where, include=[*include])
        )
        got = cast("_Got", answer)
        # One question, hence one list of answers in each part.
        firsts = {part: found[0] for part in ("ids", *include) if (found := got.get(part))}
        return _rows(cast("Mapping[str, Sequence[object]]", firsts))

    async def put(
        self,
        ids: Sequence[str],
        vectors: "Floats",
        metadatas: Sequence[Metadata],
        documents: Sequence[str] | None = None,
    ) -> None:
        """Store rows (no doubles); keys that a row does not name keep their value, None removes one."""
        texts = None if documents is None else [*documents]
        await self._run(
            lambda: self._native.upsert(ids=[*ids], embeddings=vectors, metadatas=[*metadatas], documents=texts)
        )

    async def put_first(self, key: str, vectors: "Floats", metadata: Metadata) -> None:
        """Store a row unless there is one of that id."""
        await self._run(lambda: self._native.add(ids=[key], embeddings=vectors, metadatas=[metadata]))

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove rows; unknown ids do no harm."""
        if ids:
            await self._run(lambda: self._native.delete(ids=[*ids]))

    async def count(self) -> int:
        """Count the rows."""
        return cast("int", await self._run(self._native.count))


class Buckets:
    """The collections of a database."""

    def __init__(self, client: NativeClient, run: Runner) -> None:
        self._client = client
        self._run = run

    async def create(self, name: str, *, space: str, notes: Metadata | None = None) -> Bucket:
        """Make a collection with an index of a metric space. Raises `BucketTaken`."""
        index = {"hnsw": {"space": space, "ef_search": 200}}
        native = await self._run(
            lambda: self._client.create_collection(name, configuration=index, metadata=notes, embedding_function=None)
        )
        return Bucket(cast("NativeCollection", native), self._run)

    async def find(self, name: str) -> Bucket | None:
        """Return a collection, None when there is none of that name."""
        try:
            native = await self._run(lambda: self._client.get_collection(name, embedding_function=None))
        except BucketGone:
            return None
        return Bucket(cast("NativeCollection", native), self._run)

    async def find_or_create(self, name: str, *, space: str, notes: Metadata | None = None) -> Bucket:
        """Return a collection, made if it is not there; of several processes that make it at once one does."""
        while (found := await self.find(name)) is None:
            try:
                return await self.create(name, space=space, notes=notes)
            except BucketTaken:
                continue
        return found

    async def all(self) -> "list[Bucket]":
        """Return all collections, whosever they are."""
        natives = cast("Sequence[NativeCollection]", await self._run(self._client.list_collections))
        return [Bucket(native, self._run) for native in natives]

    async def remove(self, name: str) -> None:
        """Remove a collection; repeatable."""
        try:
            await self._run(lambda: self._client.delete_collection(name))
        except BucketGone:
            return


def _rows(got: Mapping[str, Sequence[object]]) -> Rows:
    return Rows(
        ids=cast("Sequence[str]", got.get("ids", ())),
        metadatas=cast("Sequence[Metadata]", got.get("metadatas", ())),
        documents=cast("Sequence[str | None]", got.get("documents", ())),
        vectors=cast("Sequence[Sequence[float]]", got.get("embeddings", ())),
    )
