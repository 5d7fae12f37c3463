"""Which adapter a name stands for; each is imported when it is first chosen, and no other with it."""

from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from backends.ports.adapter import Adapter
from backends.ports.errors import InvalidInput

ENTRY_POINTS = "entrepot.backends"

_BUILT_IN = {
    "chroma": "backends.chroma.adapter:ADAPTER",
    "kuzu": "backends.kuzu.adapter:ADAPTER",
    "lancedb": "backends.lancedb.adapter:ADAPTER",
    "minilm": "backends.minilm.adapter:ADAPTER",
    "neo4j": "backends.neo4j.adapter:ADAPTER",
    "openai_compatible": "backends.openai_compatible.adapter:ADAPTER",
    "postgres": "backends.postgres.adapter:ADAPTER",
    "sentence_transformers": "backends.sentence_transformers.adapter:ADAPTER",
    "sqlite": "backends.sqlite.adapter:ADAPTER",
}
_EXTRAS = {
    "chroma": "chroma",
    "kuzu": "kuzu",
    "lancedb": "lancedb",
    "neo4j": "neo4j",
    "postgres": "postgres",
    "sentence_transformers": "st",
}
"""The extra that brings an adapter's driver, where the default installation lacks it."""


def adapter_names() -> Sequence[str]:
    """Return the names of all adapters that can be chosen here, sorted; nothing is imported."""
    return sorted({*_BUILT_IN, *(point.name for point in entry_points(group=ENTRY_POINTS))})


def load_adapter(name: str) -> Adapter:
    """Return the adapter of that name, imported on first use.

    Raises `InvalidInput` for an unknown name, for one that two distributions claim, and for an
    adapter that cannot be imported, with the line that installs what is missing.
    """
    try:
        return cast("Adapter", _entry_point(name).load())
    except ImportError as error:
        extra = _EXTRAS.get(name)
        remedy = f'; install it with: pip install "entrepot[{extra}]"' if extra else ""
        raise InvalidInput(f"the adapter {name!r} cannot be imported: {error}{remedy}") from error
    except AttributeError as error:
        raise InvalidInput(f"the entry point of the adapter {name!r} names nothing that is there: {error}") from error


def _entry_point(name: str) -> EntryPoint:
    if name in _BUILT_IN:
        return EntryPoint(name, _BUILT_IN[name], ENTRY_POINTS)
    found = [*entry_points(group=ENTRY_POINTS, name=name)]
    if not found:
        raise InvalidInput(f"no adapter is called {name!r}; there are: {', '.join(adapter_names())}")
    if len(found) > 1:
        owners = ", ".join(sorted(point.dist.name for point in found if point.dist))
        raise InvalidInput(f"the adapter name {name!r} is claimed by several distributions: {owners}")
    return found[0]
