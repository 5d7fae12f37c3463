"""The models of all settings, with their defaults."""

import os
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    StringConstraints,
    TypeAdapter,
    model_validator,
)

from config.errors import ConfigError
from config.suggestion import did_you_mean

PREFIX = "ENTREPOT_"
"""The prefix of the environment variables."""

DEFAULT_PROFILE = "embedded"
PORTS = ("graph", "vectors", "events", "embedder", "language")

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
ProfileName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,47}$")]


TABLE = TypeAdapter(dict[str, JsonValue])


_HOST = r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::(?:[0-9]{1,5}|\*))?"


def _host(text: str) -> str:
    if re.fullmatch(_HOST, text) is None:
        raise ValueError("must be `name`, `name:port` or `name:*`")
    return text


def _origin(text: str) -> str:
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*://" + _HOST, text) is None:
        raise ValueError("must be `scheme://name`, with `:port` or `:*` or without")
    return text


def _without_brackets(host: str) -> str:
    inner = re.fullmatch(r"\[([0-9A-Fa-f:.]+)\]", host)
    return host if inner is None else inner[1]


def _user_data() -> Path:
    from platformdirs import user_data_path

    try:
        return user_data_path("entrepot", appauthor=False)
    except RuntimeError:
        raise ConfigError(
            "This user has no home directory for the default data directory; "
            "name one with --data-dir or ENTREPOT_DATA_DIR."
        ) from None


def _named(path: object) -> object:
    if path == "":
        raise ValueError("must not be empty, which would mean the current directory")
    return path


def _expanded(path: Path) -> Path:
    # Unlike pathlib, this accepts the `~name` of an unknown user.
    return Path(os.path.expanduser(path))  # noqa: PTH111


def _usable_token(token: SecretStr) -> SecretStr:
    secret = token.get_secret_value()
    if not secret or secret != secret.strip() or not secret.isascii() or not secret.isprintable():
        raise ValueError("must be printable ASCII without blanks around it, and not empty")
    return token


class ServerSettings(BaseModel):
    """How clients reach the server, and what it refuses."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    transport: Literal["stdio", "http"] = "stdio"
    host: Annotated[str, AfterValidator(_without_brackets)] = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8765, ge=0, le=65_535, description="0 chooses a free port.")
    token: Annotated[SecretStr, AfterValidator(_usable_token)] | None = Field(
        default=None, description="What clients send as `Authorization: Bearer`."
    )
    allowed_hosts: tuple[Annotated[str, AfterValidator(_host)], ...] = Field(
        default=(), description="Host headers accepted beside loopback: `name`, `name:port` or `name:*`."
    )
    allowed_origins: tuple[Annotated[str, AfterValidator(_origin)], ...] = Field(
        default=(), description="Origins whose pages may use the server: `scheme://name`, with `:port` or `:*`."
    )
    max_connections: int = Field(
        default=512,
        ge=1,
        description="Connections open at once with HTTP; fewer where the system allows too few files.",
    )
    max_body_bytes: int = Field(default=4 * 1024 * 1024, ge=1_024, description="The longest message accepted.")


class LogSettings(BaseModel):
    """What is written to stderr."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["text", "json"] = "text"


class StoreNames(BaseModel):
    """The stores behind ports, by their names in `[stores]`; a port that is not named has no store here."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    graph: str | None = None
    vectors: str | None = None
    events: str | None = None
    embedder: str | None = None
    language: str | None = None

    @property
    def named_stores(self) -> dict[str, str]:
        """The given names, by port."""
        named = ((port, getattr(self, port)) for port in PORTS)
        return {port: name for port, name in named if isinstance(name, str)}


class ToolsetTable(StoreNames):
    """One `[toolsets.NAME]`: the stores that differ from `[defaults]`; unknown keys are checked by the toolset's model."""

    model_config = ConfigDict(extra="allow", frozen=True)

    enabled: bool = True

    @property
    def own(self) -> dict[str, JsonValue]:
        """The toolset's own settings, as they were given."""
        return TABLE.validate_python(self.model_extra or {})


class Settings(BaseModel):
    """All settings, from every source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: ProfileName = DEFAULT_PROFILE
    data_dir: Annotated[Path, BeforeValidator(_named), AfterValidator(_expanded)] = Field(default_factory=_user_data)
    defaults: StoreNames = StoreNames()
    toolsets: dict[Name, ToolsetTable] = Field(default_factory=dict[str, ToolsetTable])
    stores: dict[Name, dict[str, JsonValue]] = Field(default_factory=dict[str, dict[str, JsonValue]])
    server: ServerSettings = ServerSettings()
    log: LogSettings = LogSettings()

    @model_validator(mode="after")
    def _check_stores(self) -> Self:
        for name, table in self.stores.items():
            kind = table.get("kind")
            if type(kind) in (dict, list):
                raise ValueError(f"stores.{name}.kind must be a text, not a table or a list")
            if not kind:
                hint = did_you_mean(name, (other for other, each in self.stores.items() if each.get("kind")))
                raise ValueError(f'stores.{name} needs a `kind`, e.g. kind = "sqlite"{hint}')
        tables: dict[str, StoreNames] = {f"toolsets.{name}": table for name, table in self.toolsets.items()}
        for place, table in {"defaults": self.defaults, **tables}.items():
            for port, store in table.named_stores.items():
                if store not in self.stores:
                    hint = did_you_mean(store, self.stores)
                    raise ValueError(
                        f'{place}.{port} names the store "{store}", but there is no [stores.{store}]{hint}'
                    )
        return self
