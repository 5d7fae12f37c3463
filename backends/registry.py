"""Adapters by name: each is imported when it is first chosen, without any other."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Final, cast

from backends.ports.adapter import Adapter
from backends.ports.errors import InvalidInput

ENTRY_POINTS: Final = "entrepot.backends"


@dataclass(frozen=True, slots=True)
class _BuiltIn:
    """A shipped adapter: its location, and the extra that installs its driver, if it needs one."""

    name: str
    place: str
    extra: str | None = None


# A new engine is one line here.
_BUILT_IN: Final = {
    each.name: each
    for each in (
        _BuiltIn("chroma", "backends.engines.chroma.adapter:ADAPTER", "chroma"),
        _BuiltIn("kuzu", "backends.engines.kuzu.adapter:ADAPTER", "kuzu"),
        _BuiltIn("lancedb", "backends.engines.lancedb.adapter:ADAPTER", "lancedb"),
        _BuiltIn("minilm", "backends.engines.minilm.adapter:ADAPTER"),
        _BuiltIn("neo4j", "backends.engines.neo4j.adapter:ADAPTER", "neo4j"),
        _BuiltIn("openai_compatible", "backends.engines.openai_compatible.adapter:ADAPTER"),
        _BuiltIn("postgres", "backends.engines.postgres.adapter:ADAPTER", "postgres"),
        _BuiltIn("sentence_transformers", "backends.engines.sentence_transformers.adapter:ADAPTER", "st"),
        _BuiltIn("sqlite", "backends.engines.sqlite.adapter:ADAPTER"),
    )
}


def built_in_names() -> Sequence[str]:
    """Return the names of the shipped adapters, sorted; nothing is imported, and no other distribution is looked at."""
    return sorted(_BUILT_IN)


def adapter_names() -> Sequence[str]:
    """Return the names of all available adapters, sorted; nothing is imported."""
    return sorted({*_BUILT_IN, *(point.name for point in entry_points(group=ENTRY_POINTS))})


def extra_of(name: str) -> str | None:
    """Return the extra that installs a shipped adapter's driver; None if it needs none, or for other adapters."""
    return _BUILT_IN[name].extra if name in _BUILT_IN else None


def load_adapter(name: str) -> Adapter:
    """Return the adapter of that name, imported on first use.

    Raises `InvalidInput` for an unknown name, for a name that several distributions claim, and for an adapter that cannot
    be imported; the message then contains the command that installs its driver.
    """
    try:
        return cast("Adapter", _entry_point(name).load())
    except ImportError as error:
        extra = extra_of(name)
        remedy = f'; install it with: pip install "entrepot[{extra}]"' if extra else ""
        raise InvalidInput(f"the adapter {name!r} cannot be imported: {error}{remedy}") from error
    except AttributeError as error:
        raise InvalidInput(
            f"the entry point of the adapter {name!r} refers to an object that does not exist: {error}"
        ) from error


def _entry_point(name: str) -> EntryPoint:
    if name in _BUILT_IN:
        return EntryPoint(name, _BUILT_IN[name].place, ENTRY_POINTS)
    found = [*entry_points(group=ENTRY_POINTS, name=name)]
    if not found:
        raise InvalidInput(f"no adapter is called {name!r}; there are: {', '.join(adapter_names())}")
    if len(found) > 1:
        owners = ", ".join(sorted(point.dist.name for point in found if point.dist))
        raise InvalidInput(f"the adapter name {name!r} is claimed by several distributions: {owners}")
    return found[0]
