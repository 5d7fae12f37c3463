"""The declared collections of a space. Each has buckets for records, for tombstones, and for fields added later."""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, TypeVar

import anyio

from backends.engines.chroma.driver import EMPTY, Bucket, BucketGone, Buckets
from backends.engines.chroma.rows import placeholder_vectors
from backends.engines.chroma.text_lengths import AverageLength
from backends.kit.declaration_cache import DeclarationCache
from backends.kit.declarations import (
    check_same_model,
    dump_specs,
    merge_specs,
    parse_specs,
    specs_by_name,
    undeclared_collection,
)
from backends.ports.errors import Unusable
from backends.ports.values import FieldSpec, Namespace
from backends.ports.vectors import CollectionSpec

FORMAT: Final = 1
UNSEARCHED: Final = "l2"
SPEC: Final = "spec"

ResultT = TypeVar("ResultT")
_Key = tuple[Namespace, str]


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """A declared collection. Deleted records leave a tombstone with their revision, so all `records` are live."""

    dim: int
    model: str
    specs: Mapping[str, FieldSpec]
    mark: str
    """A random part of the other buckets' names, so that leftovers of a former collection of this name are never found."""
    records: Bucket
    tombstones: Bucket
    average_length: AverageLength = field(default_factory=AverageLength, compare=False)


class Collections:
    """The collections of a space, kept in memory and looked up again after another process has dropped one."""

    def __init__(self, buckets: Buckets, space: str) -> None:
        self._buckets = buckets
        self._space = space
        self._known = DeclarationCache(self._look_up)
        self._declaring = anyio.Lock()

    async def declare(self, namespace: Namespace, spec: CollectionSpec) -> None:
        """Create a collection or add fields to it. Raises `InvalidInput`, `Unusable` and `Conflict`."""
        wanted = specs_by_name(spec.fields)
        async with self._declaring:
            found = None
            while found is None:
                found = await self._declared(namespace, spec, wanted)
            self._known.hold((namespace, spec.name), found)

    async def drop(self, namespace: Namespace, name: str) -> None:
        """Remove a collection, its records first: without them it no longer exists. Repeatable."""
        async with self._declaring:
            self._known.forget((namespace, name))
            records = await self._buckets.find(self._name(namespace, name, "records"))
            if records is None:
                return
            mark = records.metadata.get("mark")
            for part in ("records", f"gone.{mark}", f"fields.{mark}"):
                await self._buckets.remove(self._name(namespace, name, part))

    async def use(
        self, namespace: Namespace, name: str, call: Callable[[StoredCollection], Awaitable[ResultT]]
    ) -> ResultT:
        """Return what `call` returns for a collection. It is repeated if another process has recreated the collection.

        Raises `NotFound` for an undeclared collection, without ids in `missing`.
        """
        for _ in range(2):
            try:
                return await call(await self._known.get((namespace, name)))
            except BucketGone:
                self._known.forget((namespace, name))
        raise undeclared_collection(name)

    async def meta(self, namespace: Namespace, *, make: bool) -> Bucket | None:
        """Return the bucket of a namespace's meta values; None if it does not exist and `make` is false."""
        name = f"{self._space}.{namespace}.notes"
        return await (self._buckets.find_or_create(name, space=UNSEARCHED) if make else self._buckets.find(name))

    async def _look_up(self, key: _Key) -> StoredCollection:
        if (found := await self._find(*key)) is None:
            raise BucketGone(key[1])
        return found

    async def _find(self, namespace: Namespace, name: str) -> StoredCollection | None:
        records = await self._buckets.find(self._name(namespace, name, "records"))
        if records is None:
            return None
        match records.metadata:
            case {"format": 1, "dim": int(dim), "model": str(model), "fields": str(fields), "mark": str(mark)}:
                first = {spec.name: spec for spec in parse_specs(fields)}
                later = await self._added(self._name(namespace, name, f"fields.{mark}"))
                gone = self._name(namespace, name, f"gone.{mark}")
                tombstones = await self._buckets.find_or_create(gone, space=UNSEARCHED)
                return StoredCollection(dim, model, {**first, **later}, mark, records, tombstones)
            case {"format": int(newer)} if newer > FORMAT:
                raise Unusable(f"collection {name!r} was written by a newer version of Entrepot; upgrade this one")
            case _:
                raise Unusable(f"collection {name!r} was not made by Entrepot; choose another `space`")

    async def _declared(
        self, namespace: Namespace, spec: CollectionSpec, wanted: Mapping[str, FieldSpec]
    ) -> StoredCollection | None:
        """Return a collection that has all wanted fields. If there is none, make one step towards it and return None."""
        found = await self._find(namespace, spec.name)
        if found is None:
            await self._make(namespace, spec, wanted)
            return None
        missing = _missing(found, spec, wanted)
        if not missing:
            return found
        await self._add(self._name(namespace, spec.name, f"fields.{found.mark}"), found, missing)
        return None

    async def _make(self, namespace: Namespace, spec: CollectionSpec, wanted: Mapping[str, FieldSpec]) -> None:
        await self._buckets.find_or_create(
            self._name(namespace, spec.name, "records"),
            space="cosine",
            metadata={
                "format": FORMAT,
                "dim": spec.dim,
                "model": spec.model,
                "fields": dump_specs(wanted),
                "mark": secrets.token_hex(8),
            },
        )

    async def _add(self, name: str, found: StoredCollection, fields: Sequence[FieldSpec]) -> None:
        """Store each field in its own row, because a bucket's metadata can only be replaced as a whole. The first writer wins."""
        bucket = await self._buckets.find_or_create(name, space=UNSEARCHED)
        for spec in fields:
            key, row = spec.name, {SPEC: dump_specs({spec.name: spec})}
            with suppress(BucketGone):  # dropped by another process; the caller looks it up again
                if key in found.specs:
                    await bucket.put([key], placeholder_vectors([key]), [row])
                else:
                    await bucket.put_first(key, placeholder_vectors([key]), row)

    async def _added(self, name: str) -> Mapping[str, FieldSpec]:
        """Return the fields added after creation."""
        bucket = await self._buckets.find(name)
        rows = EMPTY
        if bucket is not None:
            with suppress(BucketGone):
                rows = await bucket.get(include=("metadatas",))
        return {spec.name: spec for row in rows.metadatas for spec in parse_specs(str(row[SPEC]))}

    def _name(self, namespace: Namespace, name: str, part: str) -> str:
        # None of the three parts contains a dot, so names never collide.
        return f"{self._space}.{namespace}.{name}.{part}"


def _missing(found: StoredCollection, spec: CollectionSpec, wanted: Mapping[str, FieldSpec]) -> Sequence[FieldSpec]:
    """Return the fields that are undeclared or lack a flag. Raises `Conflict`."""
    check_same_model(spec, model=found.model, dim=found.dim)
    merged = merge_specs(found.specs, wanted, owner=f"collection {spec.name!r}")
    return [field for field in merged if found.specs.get(field.name) != field]
