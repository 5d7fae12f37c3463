"""The options of a PostgreSQL store."""

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class PostgresSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "postgres"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    uri: SecretStr = Field(
        description="The database as a libpq URI: `postgresql://user@host:5432/name`, with any of its parameters."
    )
    password: SecretStr | None = Field(default=None, description="The user's password, if the URI does not hold it.")
    space: str = Field(
        default="entrepot",
        pattern=r"^[a-z][a-z0-9_]{0,23}$",
        description="The schema that holds all tables; each installation in a database needs its own.",
    )
    max_connections: int = Field(
        default=8,
        ge=1,
        le=1_000,
        description="How many connections may be busy at once; one more listens for notifications.",
    )
    timeout_s: float = Field(
        default=10.0, ge=0.1, le=600, description="How long to wait for the server, for a connection and for a result."
    )
