"""The declared collections of a namespace, cached by each process and read again when a call does not fit them."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from backends.engines.neo4j.connection import Connection
from backends.engines.neo4j.filters import Specs
from backends.engines.neo4j.meta import Meta
from backends.engines.neo4j.schema import DatabaseSchema
from backends.kit.declaration_cache import DeclarationCache
from backends.kit.declarations import (
    check_same_model,
    dump_specs,
    merge_specs,
    parse_specs,
    specs_by_name,
    undeclared_collection,
)
from backends.ports.errors import InvalidInput, Timeout
from backends.ports.vectors import CollectionSpec

_DECLARATION_TRIES: Final = 8
"""A try fails if another process declares or drops the same collection meanwhile, as gateways do that start together."""
_KEY: Final = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """A declared collection."""

    ns: str
    key: str
    dim: int
    model: str
    specs: Specs

    @property
    def label(self) -> str:
        """The label of its live records. It becomes part of statements, so it is generated."""
        return f"EntrepotRecords_{self._checked}"

    @property
    def index(self) -> str:
        """Its vector index."""
        return f"entrepot_vectors_{self._checked}"

    @property
    def scope(self) -> str:
        """The word that all its records have in the word index."""
        return f"c{self._checked}"

    def dump(self) -> str:
        """Return the declaration as it is stored."""
        return orjson.dumps([self.key, self.dim, self.model, dump_specs(self.specs)]).decode()

    @property
    def _checked(self) -> str:
        if _KEY.fullmatch(self.key) is None:
            raise InvalidInput(f"not a collection's key: {self.key[:60]!r}")
        return self.key


def declaration_key(name: str) -> str:
    """Return the key of a collection's declaration."""
    return f"collection/{name}"


class Collections:
    """The collections of one namespace. `ns` is its name in the database."""

    def __init__(self, connection: Connection, schema: DatabaseSchema, ns: str) -> None:
        self._schema = schema
        self._ns = ns
        self._meta = Meta(connection, ns)
        self._known = DeclarationCache(self._read)

    async def declare(self, spec: CollectionSpec) -> tuple[StoredCollection, bool]:
        """Store a declaration; return it and whether flags of existing fields have changed.

        Raises `InvalidInput`, `Unusable` and `Conflict`.
        """
        wanted = specs_by_name(spec.fields)
        await self._schema.index_records(wanted.values())
        ours = StoredCollection(self._ns, secrets.token_hex(8), spec.dim, spec.model, wanted)
        for _ in range(_DECLARATION_TRIES):
            before = await self._meta.keep(declaration_key(spec.name), ours.dump())
            held = self._parse(before)
            check_same_model(spec, model=held.model, dim=held.dim)
            owner = f"collection {spec.name!r}"
            merged = specs_by_name(merge_specs(held.specs, wanted, owner=owner))
            changed = StoredCollection(self._ns, held.key, held.dim, held.model, merged)
            if merged == held.specs or await self._meta.change(declaration_key(spec.name), before, changed.dump()):
                self._known.hold(spec.name, changed)
                flagged = any(merged[name] != known for name, known in held.specs.items())
                return changed, flagged
        raise Timeout(f"other processes kept changing collection {spec.name!r}; try again")

    async def get(self, name: str) -> StoredCollection:
        """Return a collection from the cache, otherwise from the database. Raises `NotFound`."""
        return await self._known.get(name)

    async def look_up(self, name: str) -> StoredCollection:
        """Return a collection as it is in the database. Raises `NotFound`."""
        return await self._known.refresh(name)

    async def remove(self, name: str) -> Sequence[StoredCollection]:
        """Remove a declaration and return every form it had meanwhile. Raises `Timeout`."""
        self._known.forget(name)
        gone: list[StoredCollection] = []
        # Read before removing: a removal repeated after a broken connection would find nothing.
        for _ in range(_DECLARATION_TRIES):
            found = await self._meta.read(declaration_key(name))
            if found is None:
                return gone
            gone.append(self._parse(found))
            await self._meta.remove(declaration_key(name), found)
        raise Timeout(f"other processes kept changing collection {name!r}; try again")

    async def _read(self, name: str) -> StoredCollection:
        if (found := await self._meta.read(declaration_key(name))) is None:
            raise undeclared_collection(name)
        return self._parse(found)

    def _parse(self, text: str) -> StoredCollection:
        key, dim, model, specs = orjson.loads(text)
        return StoredCollection(self._ns, key, dim, model, {spec.name: spec for spec in parse_specs(specs)})
