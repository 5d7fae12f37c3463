"""The typed part of Chroma's client that the adapter uses. Its collections are called buckets here."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]

MetadataValue: TypeAlias = str | int | float | bool | list[str] | None
"""None removes the key from a stored record; an omitted list keeps its old value."""
Metadata: TypeAlias = Mapping[str, MetadataValue]
Where: TypeAlias = Mapping[str, object]


class Runner(Protocol):
    """Calls the client with a time limit and translates its errors."""

    def __call__(self, call: Callable[[], object], *, writes: bool = False) -> Awaitable[object]:
        """Return what `call` returns. `writes` says that it needs disk space."""
        ...


class BucketGone(Exception):
    """The collection does not exist, or no longer: a handle may outlive its collection."""


class BucketTaken(Exception):
    """A collection of that name already exists."""


class NativeCollection(Protocol):
    """A collection of the client. A server's results are awaitable."""

    @property
    def metadata(self) -> Metadata | None:
        """The metadata at the time it was fetched."""
        ...

    def get(
        self,
        *,
        ids: list[str] | None,
        where: Where | None,
        limit: int | None,
        offset: int | None,
        where_document: Where | None,
        include: list[str],
    ) -> object:
        """Return rows in storage order."""
        ...

    def query(
        self, *, query_embeddings: "list[Floats]", n_results: int, where: Where | None, include: list[str]
    ) -> object:
        """Return rows ordered by distance."""
        ...

    def add(self, *, ids: list[str], embeddings: "Floats", metadatas: list[Metadata]) -> object:
        """Store rows with new ids; others are silently ignored."""
        ...

    def upsert(
        self, *, ids: list[str], embeddings: "Floats", metadatas: list[Metadata], documents: list[str] | None
    ) -> object:
        """Store rows. Metadata is merged with the stored metadata."""
        ...

    def delete(self, *, ids: list[str]) -> object:
        """Remove rows."""
        ...

    def count(self) -> object:
        """Return the number of rows."""
        ...


class NativeClient(Protocol):
    """The client. A server's results are awaitable."""

    def create_collection(
        self, name: str, *, configuration: Mapping[str, object], metadata: Metadata | None, embedding_function: None
    ) -> object:
        """Create a collection and return it."""
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
    """Rows of a result. A part that was not requested is empty."""

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
    """A Chroma collection."""

    def __init__(self, native: NativeCollection, run: Runner) -> None:
        self._native = native
        self._run = run
        self.metadata: Metadata = native.metadata or {}

    async def get(
        self,
        *,
        ids: Sequence[str] | None = None,
        where: Where | None = None,
        text_pattern: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        include: Sequence[str] = (),
    ) -> Rows:
        """Return the rows with these ids, which must be distinct, or the matching rows. The order is undefined.

        `text_pattern` is a regular expression of the engine, found anywhere in a row's text.
        """
        if ids is not None and not ids:
            return EMPTY
        document = {"$regex": text_pattern} if text_pattern is not None else None
        answer = await self._run(
            lambda: self._native.get(
                ids=None if ids is None else [*ids],
                where=where,
                limit=limit,
                offset=offset,
                where_document=document,
                include=[*include],
            )
        )
        got = cast("_Got", answer)
        return _rows({part: found for part, found in got.items() if found is not None})

    async def nearest(self, vector: "Floats", count: int, where: Where | None, include: Sequence[str]) -> Rows:
        """Return about `count` nearest rows, unordered. There may be fewer although more exist: the index may miss some."""
        answer = await self._run(
            lambda: self._native.query(query_embeddings=[vector], n_results=count, where=where, include=[*include])
        )
        got = cast("_Got", answer)
        # A single query, so each part has a single list of results.
        firsts = {part: found[0] for part in ("ids", *include) if (found := got.get(part))}
        return _rows(cast("Mapping[str, Sequence[object]]", firsts))

    async def put(
        self,
        ids: Sequence[str],
        vectors: "Floats",
        metadatas: Sequence[Metadata],
        documents: Sequence[str] | None = None,
    ) -> None:
        """Store rows with distinct ids. Keys that a row does not name keep their value; None removes a key."""
        texts = None if documents is None else [*documents]
        await self._run(
            lambda: self._native.upsert(ids=[*ids], embeddings=vectors, metadatas=[*metadatas], documents=texts),
            writes=True,
        )

    async def put_first(self, key: str, vectors: "Floats", metadata: Metadata) -> None:
        """Store a row unless its id exists."""
        await self._run(lambda: self._native.add(ids=[key], embeddings=vectors, metadatas=[metadata]), writes=True)

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove rows. Unknown ids are ignored."""
        if ids:
            await self._run(lambda: self._native.delete(ids=[*ids]), writes=True)

    async def count(self) -> int:
        """Return the number of rows."""
        return cast("int", await self._run(self._native.count))


class Buckets:
    """The collections of a database."""

    def __init__(self, client: NativeClient, run: Runner) -> None:
        self._client = client
        self._run = run

    async def create(self, name: str, *, space: str, metadata: Metadata | None = None) -> Bucket:
        """Create a collection with an index of a metric space. Raises `BucketTaken`."""
        index = {"hnsw": {"space": space, "ef_search": 200}}
        native = await self._run(
            lambda: self._client.create_collection(
                name, configuration=index, metadata=metadata, embedding_function=None
            ),
            writes=True,
        )
        return Bucket(cast("NativeCollection", native), self._run)

    async def find(self, name: str) -> Bucket | None:
        """Return a collection, None if it does not exist."""
        try:
            native = await self._run(lambda: self._client.get_collection(name, embedding_function=None))
        except BucketGone:
            return None
        return Bucket(cast("NativeCollection", native), self._run)

    async def find_or_create(self, name: str, *, space: str, metadata: Metadata | None = None) -> Bucket:
        """Return a collection, created if needed. If several processes create it at once, all get the same one."""
        while (found := await self.find(name)) is None:
            try:
                return await self.create(name, space=space, metadata=metadata)
            except BucketTaken:
                continue
        return found

    async def all(self) -> "list[Bucket]":
        """Return all collections of the database, including those of other programs."""
        natives = cast("Sequence[NativeCollection]", await self._run(self._client.list_collections))
        return [Bucket(native, self._run) for native in natives]

    async def remove(self, name: str) -> None:
        """Remove a collection. Repeatable."""
        try:
            await self._run(lambda: self._client.delete_collection(name), writes=True)
        except BucketGone:
            return


def native_settings(**values: object) -> Settings:
    """Return settings without telemetry. The driver would also read a file `.env` in the current directory."""
    make = cast("Callable[..., Settings]", Settings)
    return make(_env_file=None, anonymized_telemetry=False, **values)


def forget_opening(folder: Path) -> None:
    """Remove a folder whose opening failed from the driver's cache, which would return the broken instance next time."""
    # The driver's own cache reset would also affect other folders in use.
    systems = cast("MutableMapping[str, object]", vars(SharedSystemClient)["_identifier_to_system"])
    systems.pop(str(folder), None)


def _rows(got: Mapping[str, Sequence[object]]) -> Rows:
    return Rows(
        ids=cast("Sequence[str]", got.get("ids", ())),
        metadatas=cast("Sequence[Metadata]", got.get("metadatas", ())),
        documents=cast("Sequence[str | None]", got.get("documents", ())),
        vectors=cast("Sequence[Sequence[float]]", got.get("embeddings", ())),
    )
