"""The jars of a Neo4j, fetched from Maven Central once and kept outside the checkout."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

from tests.services.needed import program

_POM = Path(__file__).with_name("pom.xml")
_FETCH_TIMEOUT_S = 900.0


def jars(version: str) -> Path:
    """Return the folder with the jars of a version; whoever comes first fetches them, others wait. Raises `Missing`."""
    cache = user_cache_path("entrepot-tests")
    folder = cache / f"neo4j-{version}"
    if folder.is_dir():
        return folder
    maven = program("mvn", package="maven")
    cache.mkdir(parents=True, exist_ok=True)
    # One lock for all versions: Maven's own store of artifacts does not admit two at once.
    with FileLock(cache / "maven.lock", timeout=_FETCH_TIMEOUT_S):
        if not folder.is_dir():
            _fetch(maven, version, folder)
    return folder


def _fetch(maven: str, version: str, folder: Path) -> None:
    partial = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        goal = ("dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={partial}")
        command = [maven, "-q", "-B", "-f", str(_POM), f"-Dneo4j.version={version}", *goal]
        subprocess.run(command, check=True, timeout=_FETCH_TIMEOUT_S)
        # A folder of the right name is a whole one.
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
