"""What an operator may set for a SQLite store."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backends.ports.errors import InvalidInput
from backends.ports.values import Json


class SqliteSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "sqlite"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    directory: Path | None = Field(
        default=None, description="Where the files lie, relative to the data directory; by default the data directory."
    )
    busy_timeout_s: float = Field(
        default=10.0, gt=0, le=600, description="How long to wait for another process that is writing."
    )
    max_pages: int | None = Field(
        default=None, ge=1, description="Quota: the largest size of graph.db and of vectors.db, in pages of 4 KiB."
    )


def parse_settings(options: Mapping[str, Json]) -> SqliteSettings:
    """Return the settings. Raises `InvalidInput` naming each wrong option."""
    try:
        return SqliteSettings.model_validate(dict(options))
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, part['loc']))}: {part['msg']}" for part in error.errors())
        raise InvalidInput(f"wrong options for the sqlite store: {problems}") from error
