"""Wrappers around an engine's ports: every argument is validated here, once, for every engine.

`backends.stores.open_engine` wraps every engine that an adapter opens in `CheckedEngine`, and the contract suite tests
engines through it. An adapter relies on these checks and only checks what depends on a declaration, with
`backends.kit.declarations`.
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
