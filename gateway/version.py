"""Which version is installed."""

from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "entrepot"


def installed_version() -> str:
    """Return the version of the distribution, or `0+source` where it runs from a folder that nobody installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0+source"
