"""Which of several ways to say the same is the fast one for each driver, measured on 100,000 nodes and 500,000 edges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from backends.kuzu.driver import Cell, DriverName, Row, Session

KEY: Final = "key"


@dataclass(frozen=True, slots=True)
class Habits:
    """Up to how many items one statement each beats one statement for all, which may scan a table."""

    keys_looped: int
    """Looking nodes or edges up by key, and changing them."""
    links_looped: int
    """Making links between nodes."""
    links_changed: bool
    """Whether a link is changed where it lies, one statement each, rather than taken away and made anew."""
    hops_looped: int
    """Following links from nodes."""
    hops_listed: int
    """Beyond `hops_looped`: following links from nodes in a list; a join is the third way, of about one cost for any number."""


HABITS: Final[Mapping[DriverName, Habits]] = {
    # Kuzu uses the key's index for a single bound key only.
    "kuzu": Habits(keys_looped=24, links_looped=1_000_000, links_changed=True, hops_looped=3, hops_listed=500),
    # Ladybug uses it for each row of UNWIND as well, but not when a hop follows.
    "ladybug": Habits(keys_looped=1, links_looped=1, links_changed=False, hops_looped=1_000, hops_listed=0),
}


def each(session: Session, statement: str, rows: Sequence[Mapping[str, Cell]], *, looped: int) -> list[Row]:
    """Run a statement for each row and return all its rows, in no order; `@` stands before the name of a row's column."""
    if len(rows) <= looped:
        single = statement.replace("@", "$")
        return [found for row in rows for found in session.run(single, row)]
    if set(rows[0]) == {KEY}:
        # A list of texts has one type, so that this statement stays prepared.
        query = f"UNWIND $keys AS wanted {statement.replace('@key', 'wanted')}"
        return session.run(query, {"keys": [row[KEY] for row in rows]})
    return session.run(f"UNWIND $rows AS r {statement.replace('@', 'r.')}", {"rows": list(rows)})
