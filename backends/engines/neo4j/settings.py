"""What an operator may set for a Neo4j store."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr
from pydantic_core import PydanticCustomError


def _address(uri: str) -> str:
    """Return the address unchanged. Raises `PydanticCustomError` for another form.

    The message of a field's `pattern` would quote it, and be masked, because it looks like a URL with a password.
    """
    if re.fullmatch(r"(bolt|neo4j)(\+s|\+ssc)?://[^@]+", uri) is None:
        raise PydanticCustomError(
            "address",
            "should be like bolt://HOST:7687 or neo4j://HOST:7687; user and password are options of their own",
        )
    return uri


class Neo4jSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "neo4j"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    uri: Annotated[str, AfterValidator(_address)] = Field(
        default="bolt://localhost:7687",
        description="The server: bolt:// for one, neo4j:// for a cluster, +s with TLS; without user and password.",
    )
    user: str = Field(default="neo4j", min_length=1, description="Who logs in.")
    password: SecretStr = Field(default=SecretStr(""), description="The user's password.")
    database: str = Field(default="neo4j", min_length=1, max_length=63, description="The database on the server.")
    space: str = Field(
        default="entrepot",
        pattern=r"^[a-z][a-z0-9_]{0,23}$",
        description="Separates the data of this installation from others in the same database.",
    )
    timeout_s: float = Field(default=10.0, gt=0, le=600, description="How long a call may take.")
    pool_size: int = Field(default=50, ge=1, le=1_000, description="The largest number of open connections.")
