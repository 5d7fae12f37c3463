"""Packages that `entrepot new` wrote, installed beside the present environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.needed import required
from tests.support.processes import PACKAGES


def installed(package: Path, site: Path) -> str:
    """Build and install a package into a directory; return where Python finds it and ours. Skips where nothing can be built."""
    command = [sys.executable, "-m", "uv", "pip", "install", "-q", "--no-deps", "--target", str(site), str(package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        (pytest.fail if required() else pytest.skip)(f"the package cannot be built here: {done.stderr[-500:]}")
    return os.pathsep.join([str(PACKAGES), str(site)])


def own_tests(package: Path, path: str) -> "subprocess.CompletedProcess[str]":
    """Run the tests of a package in its directory, as its author would."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ENTREPOT_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(
        command,
        cwd=package,
        env={**clean, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
