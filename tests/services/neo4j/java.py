"""Finds a Java development kit of a version that a server wants."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.services.needed import Missing

_MAJOR = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)
_ROOTS = ("/usr/lib/jvm", "/opt/java", "/Library/Java/JavaVirtualMachines", "~/.sdkman/candidates/java", "~/.jdks")


def java_home(*majors: int, package: str) -> Path:
    """Return the home of a kit of one of these versions, in that order of liking. Raises `Missing` naming the package."""
    found = {major: home for home in _homes() if (major := _major(home)) is not None}
    for major in majors:
        if major in found:
            return found[major]
    wanted = " or ".join(map(str, majors))
    raise Missing(
        f"no Java development kit {wanted} is installed (Debian: apt-get install {package}), JAVA_HOME may name one"
    )


def _homes() -> Iterator[Path]:
    """Yield where kits may be, the one that counts most last."""
    for root in _ROOTS:
        folder = Path(root).expanduser()
        for home in sorted(folder.glob("*")):
            yield home / "Contents" / "Home" if (home / "Contents" / "Home").is_dir() else home
    if (javac := shutil.which("javac")) is not None:
        yield Path(javac).resolve().parent.parent
    if named := os.environ.get("JAVA_HOME"):
        yield Path(named)


def _major(home: Path) -> int | None:
    """Return the version of a kit, None for what is no kit."""
    # The compiler is needed: the server is started from its source.
    if not (home / "bin" / "javac").is_file() or not (home / "release").is_file():
        return None
    found = _MAJOR.search((home / "release").read_text(encoding="utf-8", errors="replace"))
    return int(found[1]) if found else None
