"""What an operator may set for a LanceDB store."""

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator


class LancedbSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "lancedb"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    uri: str = Field(
        default="lancedb",
        min_length=1,
        description="Where the tables are: a folder, relative to the data directory, or s3://bucket/prefix.",
    )
    space: str = Field(
        default="entrepot",
        pattern=r"^[a-z][a-z0-9_]{0,23}$",
        description="The sub-folder or prefix under `uri` that keeps several installations apart.",
    )
    endpoint: str | None = Field(
        default=None, description="Address of an object store that is not Amazon's, e.g. http://localhost:9000."
    )
    region: str | None = Field(default=None, description="The region of the bucket.")
    access_key: str | None = Field(
        default=None, description="Access key of the object store; by default taken from the environment (AWS_...)."
    )
    secret_key: SecretStr | None = Field(default=None, description="Secret key that belongs to the access key.")
    allow_http: bool = Field(default=False, description="Whether the object store may be reached without TLS.")
    timeout_s: float = Field(default=10.0, gt=0, le=600, description="How long one call may take.")
    index_from: int = Field(
        default=50_000,
        ge=256,
        description="Records from which on a collection is searched through an approximate index; below, exactly.",
    )

    @field_validator("uri")
    @classmethod
    def _folder_or_bucket(cls, uri: str) -> str:
        if "://" in uri and not uri.startswith("s3://"):
            raise ValueError("a uri is a folder or begins with s3://")
        return uri

    @property
    def remote(self) -> bool:
        """Whether the tables are in an object store."""
        return self.uri.startswith("s3://")

    def storage_options(self) -> dict[str, str]:
        """Return the driver's options for an object store; none for a folder."""
        if not self.remote:
            return {}
        secret = None if self.secret_key is None else self.secret_key.get_secret_value()
        given = {
            "endpoint": self.endpoint,
            "region": self.region,
            "access_key_id": self.access_key,
            "secret_access_key": secret,
            "allow_http": str(self.allow_http).lower(),
            # The driver's default retries take three minutes, longer than a caller's deadline.
            "timeout": f"{self.timeout_s:g}s",
            "connect_timeout": f"{self.timeout_s / 2:g}s",
            "client_max_retries": "1",
            "client_retry_timeout": str(max(1, int(self.timeout_s))),
        }
        return {name: value for name, value in given.items() if value is not None}
