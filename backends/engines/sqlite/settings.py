"""The options of a SQLite store."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class SqliteSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "sqlite"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    directory: Path | None = Field(
        default=None, description="Where the files are, relative to the data directory; by default the data directory."
    )
    busy_timeout_s: float = Field(
        default=10.0, gt=0, le=600, description="How long to wait for another process that is writing."
    )
    max_pages: int | None = Field(
        default=None, ge=1, description="Quota: the largest size of graph.db and of vectors.db, in pages of 4 KiB."
    )
