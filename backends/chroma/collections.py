"""The declared collections of a space: each two buckets, one for records and one for what was deleted."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

import anyio

from backends.chroma.driver import Bucket, BucketGone, Buckets, Metadata
from backends.declarations import dump_specs, merge_specs, parse_specs
from backends.ports.errors import NotFound, Unusable
from backends.ports.ids import check_name
from backends.ports.values import FieldSpec, Namespace
from backends.ports.vectors import CollectionSpec
from backends.vector_checks import check_same, check_spec

FORMAT: Final = 1
UNSEARCHED: Final = "l2"

ResultT = TypeVar("ResultT")
_Key = tuple[Namespace, str]


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection as this process knows it; a deleted record leaves its revision in `gone`, so that `records` are live."""

    dim: int
    model: str
    specs: Mapping[str, FieldSpec]
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
            found = await self._find(namespace, spec.name)
            while found is None:
                await self._make(namespace, spec, wanted)
                found = await self._find(namespace, spec.name)
            check_same(spec, model=found.model, dim=found.dim)
            merged = merge_specs(found.specs, wanted, owner=f"collection {spec.name!r}")
            specs = {field.name: field for field in merged}
            if specs != found.specs:
                await found.records.note(_declaration(found.dim, found.model, specs))
            known = Collection(found.dim, found.model, specs, found.records, found.gone)
            self._known[namespace, spec.name] = known

    async def drop(self, namespace: Namespace, name: str) -> None:
        """Remove a collection, records first, because they are what makes it one; repeatable."""
        check_name(name, what="a collection's name")
        async with self._declaring:
            self._known.pop((namespace, name), None)
            for part in ("records", "gone"):
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
        gone = await self._buckets.find_or_create(self._name(namespace, name, "gone"), space=UNSEARCHED)
        match records.notes:
            case {"format": 1, "dim": int(dim), "model": str(model), "fields": str(fields)}:
                return Collection(dim, model, {spec.name: spec for spec in parse_specs(fields)}, records, gone)
            case {"format": int(newer)} if newer > FORMAT:
                raise Unusable(f"collection {name!r} was written by a newer version of Entrepot; upgrade this one")
            case _:
                raise Unusable(f"collection {name!r} was not made by Entrepot; choose another `space`")

    async def _make(self, namespace: Namespace, spec: CollectionSpec, wanted: Mapping[str, FieldSpec]) -> None:
        await self._buckets.find_or_create(
            self._name(namespace, spec.name, "records"),
            space="cosine",
            notes=_declaration(spec.dim, spec.model, wanted),
        )

    def _name(self, namespace: Namespace, name: str, part: str) -> str:
        # None of the three has a dot, so no two collections share a name.
        return f"{self._space}.{namespace}.{name}.{part}"


def _declaration(dim: int, model: str, specs: Mapping[str, FieldSpec]) -> Metadata:
    return {"format": FORMAT, "dim": dim, "model": model, "fields": dump_specs(specs)}
