"""What an operator may set for a Kuzu or Ladybug store."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class KuzuSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "kuzu"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    driver: Literal["kuzu", "ladybug"] = Field(
        default="kuzu",
        description="The library: Kuzu, or Ladybug, its maintained successor. A process can use one of them.",
    )
    file: Path = Field(
        default=Path("graph.kuzu"),
        description="The database file, relative to the data directory. Each driver has its own format.",
    )
    timeout_s: float = Field(default=10.0, gt=0, le=600, description="How long a read may take.")
    write_timeout_s: float = Field(
        default=60.0, gt=0, le=3_600, description="How long a write may take, including the wait for other writes."
    )
    buffer_pool_mib: int = Field(default=256, ge=64, le=1_048_576, description="Memory for pages of the file, in MiB.")
    max_size_gib: Literal[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] = Field(
        default=64, description="The largest size of the file, in GiB; so much address space is reserved, not memory."
    )
    threads: int = Field(default=2, ge=1, le=64, description="How many threads of the engine work on one statement.")
