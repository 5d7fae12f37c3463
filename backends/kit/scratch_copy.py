"""Temporary copies of stores: verification may write to them without risk."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio.to_thread

from backends.ports.errors import Unavailable


class DamageFound(Exception):
    """A store does not return what was stored in it. The message says what was found."""


@asynccontextmanager
async def scratch_copy(path: Path, copy: Callable[[Path, Path], object]) -> AsyncGenerator[Path]:
    """Yield the path of a copy of `path`, of the same name, in a folder that is removed afterwards.

    `copy` is called in a thread with `path` and the path to copy to. Raises `Unavailable` when it raises `OSError`.
    """
    with TemporaryDirectory() as folder:
        target = Path(folder, path.name)
        try:
            await anyio.to_thread.run_sync(copy, path, target)
        except OSError as error:
            raise Unavailable(f"{path} cannot be copied for verification: {error.strerror or error}") from error
        yield target
