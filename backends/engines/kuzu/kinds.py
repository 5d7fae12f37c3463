"""The declared kinds of all namespaces, kept in memory: no other process can change them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from backends.engines.kuzu.driver import Cell, Session
from backends.kit.declarations import (
    dump_specs,
    merge_specs,
    parse_fields,
    parse_specs,
    searched_text,
    specs_by_name,
    undeclared_kind,
)
from backends.ports.values import FieldSpec, Namespace, Value

_LOAD: Final = "MATCH (k:Kind) RETURN k.ns, k.name, k.fields"
_SAVE: Final = "MERGE (k:Kind {key: $key}) SET k.ns = $ns, k.name = $name, k.fields = $fields"
_CLEAR: Final = "MATCH (n:Node) WHERE n.ns = $ns AND n.kind = $kind SET "
_STORED: Final = "MATCH (n:Node) WHERE n.ns = $ns AND n.kind = $kind AND NOT n.dead RETURN n.key, n.fields"
_SHADOW: Final = "MATCH (n:Node {key: $key}) SET n."


@dataclass(frozen=True)
class Declared:
    """The declared fields of a kind. A field's slot is its position in `specs` and never changes."""

    specs: Mapping[str, FieldSpec]

    def slot(self, name: str) -> int:
        """Return the slot of a field."""
        return self._slots[name]

    @cached_property
    def _slots(self) -> Mapping[str, int]:
        return {name: slot for slot, name in enumerate(self.specs)}

    def column(self, name: str) -> str:
        """Return the column of a field's value. All list fields share one."""
        spec = self.specs[name]
        match spec.type:
            case "str":
                return f"s{self.slot(name):d}"
            case "strs":
                return "lists"
            case _:
                return f"n{self.slot(name):d}"

    def shadow_column(self, name: str) -> str:
        """Return the column that holds the text in which a text field is searched."""
        return f"t{self.slot(name):d}"

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that this kind uses, each once. Other columns may hold values from a node's former kind."""
        texts = (self.shadow_column(name) for name, spec in self.specs.items() if spec.text)
        return tuple(dict.fromkeys((*map(self.column, self.specs), *texts)))

    def cells(self, kept: Mapping[str, Value]) -> dict[str, Cell]:
        """Return the values of all columns."""
        cells: dict[str, Cell] = dict.fromkeys(self.columns)
        lists: list[str] = []
        for name, value in kept.items():
            if self.specs[name].text:
                cells[self.shadow_column(name)] = searched_text(value)
            match value:
                case tuple():
                    lists += listed(self.slot(name), value)
                case str():
                    cells[self.column(name)] = value
                case _:
                    cells[self.column(name)] = float(value)
        if lists:
            cells["lists"] = lists
        return cells


def listed(slot: int, elements: Sequence[str]) -> list[str]:
    """Return a list field's entries in the shared list column: one for its presence, then one per element."""
    return [f"{slot:d}", *(f"{slot:d}:{element}" for element in elements)]


class Kinds:
    """The declarations by namespace and kind. Only the writer thread changes them, after its commit."""

    def __init__(self) -> None:
        self._declared: dict[tuple[str, str], Declared] = {}

    def load(self, session: Session) -> None:
        """Load the file's declarations."""
        for namespace, name, text in session.run(_LOAD):
            specs = parse_specs(str(text))
            self._declared[str(namespace), str(name)] = Declared({spec.name: spec for spec in specs})

    def declared(self, namespace: Namespace, kind: str) -> Declared:
        """Return a kind's declaration. Raises `InvalidInput` for an undeclared one."""
        if (found := self._declared.get((namespace, kind))) is None:
            raise undeclared_kind(kind)
        return found

    def changes(self, namespace: Namespace, wanted: Mapping[str, Mapping[str, FieldSpec]]) -> dict[str, Declared]:
        """Return the declarations that `wanted` changes. Raises `Conflict` for a changed type."""
        changed: dict[str, Declared] = {}
        for kind, specs in wanted.items():
            known = self._declared.get((namespace, kind))
            old: Mapping[str, FieldSpec] = {} if known is None else known.specs
            merged = specs_by_name(merge_specs(old, specs, owner=f"kind {kind!r}"))
            if known is None or dump_specs(merged) != dump_specs(old):
                changed[kind] = Declared(merged)
        return changed

    def save(self, session: Session, namespace: Namespace, changed: Mapping[str, Declared]) -> None:
        """Write changed declarations and adapt the stored nodes."""
        for kind, declared in changed.items():
            key, fields = f"{namespace}/{kind}", dump_specs(declared.specs)
            session.run(_SAVE, {"key": key, "ns": namespace, "name": kind, "fields": fields})
            if (known := self._declared.get((namespace, kind))) is not None:
                _fit(session, namespace, kind, known, declared)

    def keep(self, namespace: Namespace, changed: Mapping[str, Declared]) -> None:
        """Remember committed declarations."""
        self._declared.update({(namespace, kind): declared for kind, declared in changed.items()})

    def forget(self, namespace: Namespace) -> None:
        """Forget a dropped namespace."""
        for key in [key for key in self._declared if key[0] == namespace]:
            del self._declared[key]


def _fit(session: Session, namespace: Namespace, kind: str, old: Declared, new: Declared) -> None:
    """Clear the columns that the kind starts to use, and fill in shadows of texts that were stored without one."""
    of_kind = {"ns": namespace, "kind": kind}
    begun = [column for column in new.columns if column not in old.columns]
    if begun:
        session.run(_CLEAR + ", ".join(f"n.{column} = NULL" for column in begun), of_kind)
    texts = [name for name, spec in new.specs.items() if spec.text and name in old.specs and not old.specs[name].text]
    if not texts:
        return
    for key, fields in session.run(_STORED, of_kind):
        kept = parse_fields(str(fields))
        for name in texts:
            if (value := kept.get(name)) is not None:
                session.run(f"{_SHADOW}{new.shadow_column(name)} = $text", {"key": key, "text": searched_text(value)})
