"""What an operator may set for the default embedder."""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class MiniLMSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "minilm"`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    directory: Path | None = Field(
        default=None, description="Folder with another model.onnx and vocab.txt of the same architecture."
    )
    workers: int = Field(default=min(2, os.cpu_count() or 1), ge=1, le=64, description="Texts embedded at once.")
    remembered: int = Field(default=2_048, ge=0, description="Texts whose vectors stay in memory.")
