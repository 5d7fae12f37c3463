"""The environment as a table of settings; kept separate because its library imports slowly."""

from pydantic import JsonValue, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict, SettingsError

from config.errors import ConfigError
from config.settings import PREFIX, TABLE, Settings


class _Variables(Settings, BaseSettings):
    """Declares the variables for the library; `Settings` validates the merged layers."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=True)


def variables() -> dict[str, JsonValue]:
    """Return what the environment sets. Raises `ConfigError` for a variable that cannot be read."""
    source = EnvSettingsSource(_Variables)
    try:
        return TABLE.validate_python(source())
    except SettingsError:
        wrong = " and ".join(name.upper() for name in source.env_vars if _cannot_be_read(name))
        raise ConfigError(
            f"The environment sets {wrong}, but lists and tables there are written as JSON,"
            ' such as ["one", "two"] or {"port": 9000}.'
        ) from None
    except ValidationError as error:
        raise ConfigError(f"The environment cannot be read as settings: {error}.") from None


def _cannot_be_read(name: str) -> bool:
    """Return whether a variable alone is an error, which the library only names by the setting that it belongs to."""
    source = EnvSettingsSource(_Variables)
    source.env_vars = {name: source.env_vars[name]}
    try:
        source()
    except SettingsError:
        return True
    return False
