"""Settings of the concept_rag toolset."""

import os
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from toolsets.concept_rag.object_store import PictureBucket
from toolsets.language import TIMEOUT_S
from toolsets.spec import DefaultFrom

DEBUG: Final = "DEBUG_SEARCH"
"""The documented environment variable that adds the components of scores to replies."""


def _debugging() -> bool:
    return os.environ.get(DEBUG, "").strip().lower() == "true"


class ConceptRagSettings(BaseModel):
    """The `[toolsets.concept_rag]` table, without the stores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    taxonomy: Path | None = Field(
        default=None, description="A TOML file with categories that extend or refine the shipped ones."
    )
    visuals: bool = Field(default=True, description="Keep the visuals of documents as PNG files.")
    pictures: PictureBucket | None = Field(
        default=None, description="An object store that keeps the PNG files for several machines; see PictureBucket."
    )
    images: bool = Field(default=False, description="Let get_visuals answer with the pictures themselves, too.")
    debug_search: Annotated[bool, DefaultFrom(DEBUG)] = Field(
        default_factory=_debugging,
        description="Show what scores consist of, and previews of pages; unset, DEBUG_SEARCH=true of the environment decides.",
    )
    language_timeout_s: float = Field(
        default=TIMEOUT_S,
        gt=0,
        le=3_600,
        description="How long a language model may take over a document, before it is described without it.",
    )
    language_pictures: int = Field(
        default=32, ge=0, le=500, description="The most pictures of a document that a language model describes."
    )
    chunks_per_document: int = Field(default=5, ge=1, le=30, description="The most chunks that chunks_search answers.")
    folders: Annotated[tuple[Path, ...], Field(max_length=100)] = Field(
        default=(), description="Files and folders that a running server keeps ingested."
    )
    poll_s: float = Field(default=10.0, gt=0, le=86_400, description="Seconds between looks at the folders.")
    max_file_bytes: int = Field(
        default=512 * 1024 * 1024, ge=1, le=4 * 1024**3, description="The largest file that is read."
    )
