"""The version of the installed distribution."""

from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "entrepot"


def installed_version() -> str:
    """Return the version of the distribution, or `0+source` in a source tree that is not installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0+source"
