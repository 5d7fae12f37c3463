"""A collection, and the names and revisions that rivals write."""

from backends.ports.ids import namespace
from backends.ports.values import FieldSpec
from backends.ports.vectors import CollectionSpec

DIM = 96
COUNT = 2_000
SPEC = CollectionSpec("things", DIM, f"model@1/{DIM}", (FieldSpec("rank", "int", sort=True),))
PLACE = namespace("search")
RIVALRY = namespace("rivals")
NAMES = [f"n{number}" for number in range(6)]
REVISIONS = range(1, 13)
