"""The environment as a table of settings; a separate module because its library imports slowly."""

from pydantic import JsonValue, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict, SettingsError

from config.errors import ConfigError
from config.settings import PREFIX, TABLE, Settings


class _Variables(Settings, BaseSettings):
    """Declares the variables for the library; `Settings` validates the merged layers."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=True)


def variables() -> dict[str, JsonValue]:
    """Return what the environment sets. Raises `ConfigError` for a variable that cannot be read."""
    try:
        return TABLE.validate_python(EnvSettingsSource(_Variables)())
    except (SettingsError, ValidationError) as error:
        raise ConfigError(f"The environment cannot be read as settings: {error}.") from None
