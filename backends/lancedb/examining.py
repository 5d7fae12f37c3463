"""A look at every record of a collection."""

from backends.closeness import is_unit
from backends.lancedb.store import LanceVectors


async def examine(vectors: LanceVectors, name: str) -> None:
    """Read a whole collection. Raises the store's errors, and `ValueError` for what cannot be what was stored."""
    read = 0
    page = await vectors.scan(name)
    while True:
        if not all(is_unit(record.vector) for record in page.items):
            raise ValueError(f"collection {name} has lost vectors")
        read += len(page.items)
        if page.after is None:
            break
        page = await vectors.scan(name, after=page.after)
    if read != await vectors.count(name):
        raise ValueError(f"collection {name} has not the records that it counts")
