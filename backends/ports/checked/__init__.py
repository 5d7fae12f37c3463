"""The ports around an engine's objects: every argument is validated here, once, for every engine.

`backends.stores.open_engine` puts `CheckedEngine` around whatever an adapter opens, and the contract suite tests engines
through it. So an adapter relies on what these classes check, and checks only what depends on a declaration:
`backends.kit.declarations` has that.
"""

from backends.ports.checked.engine import CheckedEmbedder, CheckedEngine, CheckedLanguageModel
from backends.ports.checked.events import CheckedEventLog
from backends.ports.checked.graph import CheckedGraph
from backends.ports.checked.vectors import CheckedVectors

__all__ = [
    "CheckedEmbedder",
    "CheckedEngine",
    "CheckedEventLog",
    "CheckedGraph",
    "CheckedLanguageModel",
    "CheckedVectors",
]
