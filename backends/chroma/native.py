"""The settings that the driver is given, by us alone."""

from collections.abc import Callable
from typing import cast

from chromadb.config import Settings


def native_settings(**values: object) -> Settings:
    """Return settings without telemetry; the driver would read others from a file `.env` in the current directory."""
    make = cast("Callable[..., Settings]", Settings)
    return make(_env_file=None, anonymized_telemetry=False, **values)
