"""The error of this package."""


class ConfigError(Exception):
    """A setting is wrong or missing; the message is a sentence that names the source, the key and the remedy."""
