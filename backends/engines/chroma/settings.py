"""What an operator may set for a Chroma store."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr
from pydantic_core import PydanticCustomError


def _address(uri: str) -> str:
    """Return the address unchanged. Raises `PydanticCustomError` for another form.

    The message of a field's `pattern` would quote it, and be masked, because it looks like a URL with a password.
    """
    if re.fullmatch(r"https?://[^/?#@]+(/[^?#@]*)?", uri) is None:
        raise PydanticCustomError(
            "address", "should be like http://HOST:8000, without a user; a token is an option of its own"
        )
    return uri


class ChromaSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "chroma"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    uri: Annotated[str, AfterValidator(_address)] | None = Field(
        default=None,
        description="Address of a Chroma server, such as http://localhost:8000; without it Chroma runs embedded.",
    )
    directory: Path = Field(
        default=Path("chroma"), description="Where embedded Chroma keeps its files, relative to the data directory."
    )
    token: SecretStr | None = Field(
        default=None, description="Sent to the server as `Authorization: Bearer ...`; a proxy in front may ask for it."
    )
    tenant: str = Field(default="default_tenant", min_length=1, description="Tenant on the server; it must exist.")
    database: str = Field(
        default="default_database", min_length=1, description="Database of the tenant; it must exist."
    )
    space: str = Field(
        default="entrepot",
        pattern=r"^[a-z][a-z0-9_]{0,23}$",
        description="Keeps installations apart that share a server: a part of every collection's name.",
    )
    timeout_s: float = Field(default=10.0, gt=0, le=600, description="How long a call of the engine may take.")
