"""Checks a file before it is opened here: its format, and whether opening it ends a child process.

The child is needed because with some damage the driver ends the process instead of raising. It imports only the driver,
opens the file read-only, and reads a row of every table and its index, so most of the time is that import. Deeper damage
is found by `verify`, which reads the whole file.
"""

import subprocess
from pathlib import Path
from typing import Final

from backends.engines.kuzu.driver import DriverName
from backends.engines.kuzu.errors import damaged_error
from backends.kit.child_process import child_command, child_environment, crash_signal
from backends.ports.errors import Unusable

PATIENCE_S: Final = 20.0
"""A child that takes longer proves nothing: the file may be large, or the machine busy."""

_MAGIC: Final[dict[bytes, DriverName]] = {b"KUZU": "kuzu", b"LBUG": "ladybug"}
"""The first bytes of a database file, by the driver that wrote it."""

_CHILD: Final = """
import importlib.util, os, sys
driver = importlib.import_module(sys.argv[1])
try:
    connection = driver.Connection(driver.Database(sys.argv[2], read_only=True, buffer_pool_size=64 << 20), num_threads=1)
    for name in connection.execute("CALL show_tables() RETURN name, type").get_all():
        pattern = f"()-[x:{name[0]}]->()" if name[1] == "REL" else f"(x:{name[0]})"
        connection.execute(f"MATCH {pattern} RETURN x.* LIMIT 1").get_all()
        if name[1] == "NODE":
            connection.execute(f"MATCH (x:{name[0]} {{key: $key}}) RETURN x.*", {"key": ""}).get_all()
    for row in connection.execute("MATCH (x:Note) RETURN x.key").get_all():
        connection.execute("MATCH (x:Note {key: $key}) RETURN x.*", {"key": row[0]}).get_all()
    connection.execute("MATCH (x:Kind) RETURN x.*").get_all()
finally:
    # Errors are found again, and worded, by the process that asked.
    os._exit(0)
"""


def crash_of(path: Path, driver: DriverName) -> str | None:
    """Return the name of the signal that ends a process which opens the file, None if there is none. Blocking."""
    command = child_command("-c", _CHILD, driver, str(path))
    try:
        done = subprocess.run(  # noqa: S603 -- constant arguments
            command, env=child_environment(), capture_output=True, timeout=PATIENCE_S, check=False
        )
    except (subprocess.TimeoutExpired, OSError):
        return None
    return crash_signal(done.returncode)


def check_format(path: Path, driver: DriverName) -> None:
    """Raise `Unusable` unless an existing file has this driver's format."""
    with path.open("rb") as file:
        begins = file.read(4)
    wrote = _MAGIC.get(begins)
    if wrote == driver:
        return
    if wrote is None:
        raise damaged_error(path, f"is damaged or not a database of {driver}")
    raise Unusable(
        f'{path} was written by {wrote}, which {driver} cannot read: set driver = "{wrote}", or move the file and its'
        " .wal away: a new file is created and rebuilt from the log"
    )
