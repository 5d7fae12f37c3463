"""The error of this package."""


class ConfigError(Exception):
    """A setting is wrong or missing; the message is a sentence that names the place, the key and the way out."""
