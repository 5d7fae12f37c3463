"""The errors of this package."""

from pydantic_core import ErrorDetails


class ConfigError(Exception):
    """A setting is wrong or missing; the message is a sentence that names the source, the key and the remedy."""


class WrongValue(ConfigError):
    """A setting has a value that breaks a rule. The message does not say which: the gateway phrases `detail`."""

    def __init__(self, place: str, detail: ErrorDetails) -> None:
        """Take the source and the key, such as "entrepot.toml: server.port", and pydantic's error."""
        super().__init__(f"{place} is wrong")
        self.place = place
        self.detail = detail
