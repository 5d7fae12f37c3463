"""Defers lancedb's REST client, half of its import time; kept separate because it runs before `driver` imports lancedb.

Lancedb uses only the models of `lance_namespace_urllib3_client`, but a package is executed before its submodules.
"""

import sys
from importlib.util import find_spec, module_from_spec
from threading import RLock
from typing import Final

_CLIENT: Final = "lance_namespace_urllib3_client"


def defer_client() -> None:
    """Register the client's package without executing it, if it is installed and has not been imported.

    The first use of a name that only the execution defines executes it, so that other parts of the process can use it.
    """
    if _CLIENT in sys.modules or (spec := find_spec(_CLIENT)) is None or spec.loader is None:
        return
    package, loader, executing = module_from_spec(spec), spec.loader, RLock()

    def executed(name: str) -> object:
        with executing:
            if not name.startswith("__") and vars(package).pop("__getattr__", None) is not None:
                loader.exec_module(package)
        if name not in vars(package):
            raise AttributeError(f"module {_CLIENT!r} has no attribute {name!r}", name=name, obj=package)
        return vars(package)[name]

    vars(package)["__getattr__"] = executed
    sys.modules[_CLIENT] = package
