"""What a service needs of the machine, and what is said where that is missing."""

import os
import shutil


class Missing(Exception):
    """A program that a service needs is not installed; the message says what to install."""


def program(name: str, *, package: str) -> str:
    """Return the path of a program. Raises `Missing` naming the Debian package that has it."""
    found = shutil.which(name)
    if found is None:
        raise Missing(f"{name} is not installed (Debian: apt-get install {package})")
    return found


def required() -> bool:
    """Say whether a service that cannot be started is a failure: in CI it is."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
