"""What an operator may set for a model; kept separate because every engine has a module of this name."""

from pydantic import BaseModel, ConfigDict, Field


class SentenceTransformersSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "sentence_transformers"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(
        min_length=1,
        max_length=1_000,
        description="A folder, absolute or in the data directory, or the name of a model on the Hugging Face hub.",
    )
    revision: str | None = Field(
        default=None,
        pattern=r"^[\w./-]{1,100}$",
        description="The commit, tag or branch of a hub model; for a folder, the revision that it must have.",
    )
    offline: bool = Field(default=False, description="Never download: a hub model must be in the cache already.")
    device: str = Field(
        default="cpu", pattern=r"^[a-z]+(:\d+)?$", description="Where it runs, e.g. `cuda` or `cuda:1`."
    )
    load_timeout_s: float = Field(
        default=600.0, gt=0, le=86_400, description="How long opening may take, including a download."
    )
    timeout_s: float = Field(
        default=60.0, gt=0, le=3_600, description="How long one text may take, including the wait."
    )
