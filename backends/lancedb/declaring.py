"""Declaring a collection: brings its table, columns and indexes to what the declaration says, whoever else does so too."""

from typing import Final

from backends.declarations import merge_specs
from backends.lancedb.driver import ARROW
from backends.lancedb.errors import Raced
from backends.lancedb.filters import column
from backends.lancedb.layout import field_of, indexes_of, note_of, schema_of
from backends.lancedb.tables import Opened, Tables
from backends.ports.errors import NotFound
from backends.ports.values import Namespace
from backends.ports.vectors import CollectionSpec
from backends.vector_checks import check_same

TRIES: Final = 5


async def declare(tables: Tables, namespace: Namespace, spec: CollectionSpec) -> None:
    """Make what is missing. Raises `Unusable` for another model and `Conflict` for another dimension or type."""
    for left in reversed(range(TRIES)):
        try:
            await tables.using(namespace, spec.name, lambda opened: _complete(opened, spec))
        except NotFound:
            await tables.create(namespace, spec.name, schema_of(spec))
        except Raced:
            # Another process made the same; what it made is seen on the next look.
            if not left:
                raise
        else:
            return


async def _complete(opened: Opened, spec: CollectionSpec) -> None:
    layout = opened.layout
    check_same(spec, model=layout.model, dim=layout.dim)
    wanted = merge_specs(layout.specs, {field.name: field for field in spec.fields}, owner=f"collection {spec.name!r}")
    added = [field for field in wanted if field.name not in layout.specs]
    if added:
        await opened.calls.run(opened.table.add_columns(ARROW.schema([field_of(field) for field in added])))
    for field in wanted:
        if field.name in layout.specs and field != layout.specs[field.name]:
            note = {"path": column(field.name), "metadata": note_of(field)}
            await opened.calls.run(opened.table.update_field_metadata(note))
    await _index(opened)


async def _index(opened: Opened) -> None:
    for name, config in indexes_of(await opened.look()).items():
        present = {name for index in await opened.calls.run(opened.table.list_indices()) for name in index.columns}
        if name not in present:
            await opened.calls.run(opened.table.create_index(name, replace=False, config=config))
