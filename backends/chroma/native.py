"""The settings that the driver is given, by us alone, and what it must forget."""

from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import cast

from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings


def native_settings(**values: object) -> Settings:
    """Return settings without telemetry; the driver would read others from a file `.env` in the current directory."""
    make = cast("Callable[..., Settings]", Settings)
    return make(_env_file=None, anonymized_telemetry=False, **values)


def forget_opening(folder: Path) -> None:
    """Let the driver open a folder afresh whose opening failed: it keeps what it half made for the next client of the process."""
    # It has no call that forgets one folder; the one that there is would take other folders from under their clients.
    systems = cast("MutableMapping[str, object]", vars(SharedSystemClient)["_identifier_to_system"])
    systems.pop(str(folder), None)
