"""The declared collections of a namespace: remembered by each process, looked up again when something does not fit."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from backends.declarations import dump_specs, merge_specs, parse_specs
from backends.neo4j.connection import Connection
from backends.neo4j.filters import Specs
from backends.neo4j.notes import Notes
from backends.neo4j.schema import Schema
from backends.ports.errors import InvalidInput, NotFound, Timeout
from backends.ports.fields import check_field_specs
from backends.ports.ids import check_name
from backends.ports.vectors import CollectionSpec
from backends.vector_checks import check_same, check_spec

_RACES: Final = 8
_KEY: Final = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Stored:
    """A collection as it is declared."""

    ns: str
    key: str
    dim: int
    model: str
    specs: Specs

    @property
    def label(self) -> str:
        """The label of its live records; it goes into statements, so it is of our own making."""
        return f"EntrepotRecords_{self._checked}"

    @property
    def index(self) -> str:
        """Its vector index."""
        return f"entrepot_vectors_{self._checked}"

    @property
    def scope(self) -> str:
        """The word that all its records share in the word index."""
        return f"c{self._checked}"

    def dump(self) -> str:
        """Return the declaration as it is kept."""
        return orjson.dumps([self.key, self.dim, self.model, dump_specs(self.specs)]).decode()

    @property
    def _checked(self) -> str:
        if _KEY.fullmatch(self.key) is None:
            raise InvalidInput(f"not a collection's key: {self.key[:60]!r}")
        return self.key


def note_of(name: str) -> str:
    """Return the key under which a declaration is kept."""
    return f"collection/{name}"


class Collections:
    """The collections of one namespace, which is called `ns` in the database."""

    def __init__(self, connection: Connection, schema: Schema, ns: str) -> None:
        self._schema = schema
        self._ns = ns
        self._notes = Notes(connection, ns)
        self._known: dict[str, Stored] = {}

    async def declare(self, spec: CollectionSpec) -> tuple[Stored, bool]:
        """Keep a declaration; say whether fields of stored records are flagged anew.

        Raises `InvalidInput`, `Unusable` and `Conflict`.
        """
        wanted = check_spec(spec)
        await self._schema.index_records(wanted.values())
        ours = Stored(self._ns, secrets.token_hex(8), spec.dim, spec.model, wanted)
        for _ in range(_RACES):
            before = await self._notes.keep(note_of(spec.name), ours.dump())
            held = self._parse(before)
            check_same(spec, model=held.model, dim=held.dim)
            owner = f"collection {spec.name!r}"
            merged = check_field_specs(merge_specs(held.specs, wanted, owner=owner), owner=owner)
            changed = Stored(self._ns, held.key, held.dim, held.model, merged)
            if merged == held.specs or await self._notes.change(note_of(spec.name), before, changed.dump()):
                self._known[spec.name] = changed
                flagged = any(merged[name] != known for name, known in held.specs.items())
                return changed, flagged
        raise Timeout(f"collection {spec.name!r} was declared anew by others all the while; try again")

    async def get(self, name: str) -> Stored:
        """Return a collection as it is remembered. Raises `NotFound`."""
        return self._known.get(check_name(name, what="a collection's name")) or await self.look_up(name)

    async def look_up(self, name: str) -> Stored:
        """Return a collection as it is now. Raises `NotFound`."""
        found = await self._notes.read(note_of(name))
        if found is None:
            self._known.pop(name, None)
            raise NotFound(f"no collection {name!r:.60} is declared here")
        self._known[name] = self._parse(found)
        return self._known[name]

    async def remove(self, name: str) -> Sequence[Stored]:
        """Take a declaration back and return it, in all forms that it had meanwhile. Raises `Timeout`."""
        self._known.pop(check_name(name, what="a collection's name"), None)
        gone: list[Stored] = []
        # Read before it is removed: a removal that is done again, after a broken connection, finds nothing.
        for _ in range(_RACES):
            found = await self._notes.read(note_of(name))
            if found is None:
                return gone
            gone.append(self._parse(found))
            await self._notes.remove(note_of(name), found)
        raise Timeout(f"collection {name!r} was declared anew by others all the while; try again")

    def _parse(self, text: str) -> Stored:
        key, dim, model, specs = orjson.loads(text)
        return Stored(self._ns, key, dim, model, {spec.name: spec for spec in parse_specs(specs)})
