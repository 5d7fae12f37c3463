"""The declared collections of a space: each a bucket for records, one for what was deleted, one for fields added later."""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

import anyio

from backends.chroma.driver import EMPTY, Bucket, BucketGone, Buckets
from backends.chroma.records import places
from backends.declarations import dump_specs, merge_specs, parse_specs
from backends.ports.errors import NotFound, Unusable
from backends.ports.ids import check_name
from backends.ports.values import FieldSpec, Namespace
from backends.ports.vectors import CollectionSpec
from backends.vector_checks import check_same, check_spec

FORMAT: Final = 1
UNSEARCHED: Final = "l2"
SPEC: Final = "spec"

ResultT = TypeVar("ResultT")
_Key = tuple[Namespace, str]


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection as this process knows it; a deleted record leaves its revision in `gone`, so that `records` are live."""

    dim: int
    model: str
    specs: Mapping[str, FieldSpec]
    mark: str
    """Drawn when it was made, in the names of its other buckets: what is left of a former one of its name is not met."""
    records: Bucket
    gone: Bucket


class Collections:
    """The collections of a space, found once and found again after another process has dropped one."""

    def __init__(self, buckets: Buckets, space: str) -> None:
        self._buckets = buckets
        self._space = space
        self._known: dict[_Key, Collection] = {}
        self._declaring = anyio.Lock()

    async def declare(self, namespace: Namespace, spec: CollectionSpec) -> None:
        """Make a collection, or add fields to it. Raises `InvalidInput`, `Unusable` and `Conflict`."""
        wanted = check_spec(spec)
        async with self._declaring:
            found = None
            while found is None:
                found = await self._declared(namespace, spec, wanted)
            self._known[namespace, spec.name] = found

    async def drop(self, namespace: Namespace, name: str) -> None:
        """Remove a collection, records first, because they are what makes it one; repeatable."""
        check_name(name, what="a collection's name")
        async with self._declaring:
            self._known.pop((namespace, name), None)
            records = await self._buckets.find(self._name(namespace, name, "records"))
            if records is None:
                return
            mark = records.notes.get("mark")
            for part in ("records", f"gone.{mark}", f"fields.{mark}"):
                await self._buckets.remove(self._name(namespace, name, part))

    async def use(self, namespace: Namespace, name: str, call: Callable[[Collection], Awaitable[ResultT]]) -> ResultT:
        """Return what `call` returns for a collection, which is repeated when the collection was made anew elsewhere.

        Raises `NotFound` for an unknown one, naming no ids: no record is to blame.
        """
        check_name(name, what="a collection's name")
        for _ in range(2):
            try:
                return await call(await self._get(namespace, name))
            except BucketGone:
                self._known.pop((namespace, name), None)
        raise NotFound(f"no collection {name!r} is declared here")

    async def notes(self, namespace: Namespace, *, make: bool) -> Bucket | None:
        """Return where a namespace keeps its notes, None when it has none and is not to be made."""
        name = f"{self._space}.{namespace}.notes"
        return await (self._buckets.find_or_create(name, space=UNSEARCHED) if make else self._buckets.find(name))

    async def _get(self, namespace: Namespace, name: str) -> Collection:
        known = self._known.get((namespace, name))
        if known is None:
            known = await self._find(namespace, name)
            if known is None:
                raise BucketGone(name)
            self._known[namespace, name] = known
        return known

    async def _find(self, namespace: Namespace, name: str) -> Collection | None:
        records = await self._buckets.find(self._name(namespace, name, "records"))
        if records is None:
            return None
        match records.notes:
            case {"format": 1, "dim": int(dim), "model": str(model), "fields": str(fields), "mark": str(mark)}:
                first = {spec.name: spec for spec in parse_specs(fields)}
                later = await self._added(self._name(namespace, name, f"fields.{mark}"))
                gone = self._name(namespace, name, f"gone.{mark}")
                graves = await self._buckets.find_or_create(gone, space=UNSEARCHED)
                return Collection(dim, model, {**first, **later}, mark, records, graves)
            case {"format": int(newer)} if newer > FORMAT:
                raise Unusable(f"collection {name!r} was written by a newer version of Entrepot; upgrade this one")
            case _:
                raise Unusable(f"collection {name!r} was not made by Entrepot; choose another `space`")

    async def _declared(
        self, namespace: Namespace, spec: CollectionSpec, wanted: Mapping[str, FieldSpec]
    ) -> Collection | None:
        """Return a collection that is all that is wanted; where there is none, come a step nearer and return None."""
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
            notes={
                "format": FORMAT,
                "dim": spec.dim,
                "model": spec.model,
                "fields": dump_specs(wanted),
                "mark": secrets.token_hex(8),
            },
        )

    async def _add(self, name: str, found: Collection, fields: Sequence[FieldSpec]) -> None:
        """Keep fields in rows of their own, since what is noted with a bucket is replaced as a whole; a first one wins."""
        bucket = await self._buckets.find_or_create(name, space=UNSEARCHED)
        for field in fields:
            key, row = field.name, {SPEC: dump_specs({field.name: field})}
            with suppress(BucketGone):  # dropped by another process: it is looked for again
                if key in found.specs:
                    await bucket.put([key], places([key]), [row])
                else:
                    await bucket.put_first(key, places([key]), row)

    async def _added(self, name: str) -> Mapping[str, FieldSpec]:
        """Return the fields that were added later."""
        bucket = await self._buckets.find(name)
        rows = EMPTY
        if bucket is not None:
            with suppress(BucketGone):
                rows = await bucket.get(include=("metadatas",))
        return {spec.name: spec for row in rows.metadatas for spec in parse_specs(str(row[SPEC]))}

    def _name(self, namespace: Namespace, name: str, part: str) -> str:
        # None of the three has a dot, so no two collections share a name.
        return f"{self._space}.{namespace}.{name}.{part}"


def _missing(found: Collection, spec: CollectionSpec, wanted: Mapping[str, FieldSpec]) -> Sequence[FieldSpec]:
    """Return the fields that are not declared yet, or not with all their flags. Raises `Conflict`."""
    check_same(spec, model=found.model, dim=found.dim)
    merged = merge_specs(found.specs, wanted, owner=f"collection {spec.name!r}")
    return [field for field in merged if found.specs.get(field.name) != field]
