"""Clashes of our five top-level packages, which have common names, with those of other distributions."""

import re
from collections.abc import Iterator
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

from gateway.version import DISTRIBUTION

PACKAGES = ("backends", "config", "contracts", "gateway", "toolsets")

_FOLDERS = tuple(f"\n{name}/" for name in PACKAGES)
_OWNED = re.compile(rf"^({'|'.join(PACKAGES)})/[^,]*\.py,", re.MULTILINE)


def clashes() -> tuple[str, ...]:
    """Return a sentence for each of our packages that another distribution owns or hides; empty without a clash.

    Records of installed files are searched as text: `packages_distributions()` takes ten times as long, and this runs
    at every start.
    """
    return (*_hidden(), *_owned_by_others())


def _hidden() -> Iterator[str]:
    ours = Path(__file__).parent.parent
    for name in PACKAGES:
        spec = find_spec(name)
        place = Path(spec.origin).parent.parent if spec is not None and spec.origin is not None else None
        if place != ours:
            yield (
                f"Python finds the package `{name}` in {place or 'no folder'}, not beside the others in {ours}. "
                "Install entrepot in an environment of its own (uv tool install, pipx, a venv), "
                "and start it where no folder of that name is on PYTHONPATH."
            )


def _owned_by_others() -> Iterator[str]:
    for distribution in distributions():
        record = "\n" + (distribution.read_text("RECORD") or "")
        if not any(folder in record for folder in _FOLDERS):
            continue
        found = sorted({match.group(1) for match in _OWNED.finditer(record)})
        if found and distribution.metadata["Name"].lower() != DISTRIBUTION:
            yield (
                f"The distribution {distribution.metadata['Name']} installs a package named "
                f"{' and '.join(f'`{name}`' for name in found)}, as entrepot does. "
                "Install entrepot in an environment of its own (uv tool install, pipx, a venv)."
            )
