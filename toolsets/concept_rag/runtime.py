"""The running toolset, shared by its handlers, its commands and its background work."""

import os
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.object_store import ObjectStore
from toolsets.concept_rag.projections import PROJECTOR
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.sourcing.sourced import SourcedStores
from toolsets.spec import Services

if TYPE_CHECKING:
    from toolsets.concept_rag.taxonomy.model import Taxonomy

_FETCHED_AT_ONCE: Final = 32
"""The most pictures in memory while they are copied into the directory."""


class ConceptRag:
    """The concept_rag toolset connected to its stores; creating it opens nothing."""

    def __init__(self, services: Services) -> None:
        self.settings = services.settings_as(ConceptRagSettings)
        self.now = services.now
        self.rng = services.rng
        self.directory = services.directory
        self.language = services.stores.language
        self.sourced = SourcedStores(services, PROJECTOR)
        self.live_stores = self.sourced.live_stores

    @cached_property
    def taxonomy(self) -> "Taxonomy":
        """The shipped categories merged with the operator's. Raises `TaxonomyError`."""
        from toolsets.concept_rag.taxonomy.model import load_taxonomy

        file = self.settings.taxonomy
        return load_taxonomy(None if file is None else self.place(file))

    def place(self, path: Path) -> Path:
        """Return the absolute path of a path in the settings; a relative one is below the data directory, as in stores."""
        data_dir = Path() if self.directory is None else self.directory.parent
        # Unlike pathlib, these two keep links and accept the `~name` of an unknown user.
        return Path(os.path.abspath(data_dir / os.path.expanduser(path)))  # noqa: PTH100, PTH111

    @cached_property
    def object_store(self) -> ObjectStore | None:
        """The object store that shares PNG files between machines; None if they are only in the directory."""
        bucket = self.settings.pictures
        return None if bucket is None or self.directory is None else ObjectStore(bucket)

    def fetch_pictures(self, digests: Collection[str]) -> None:
        """Copy files that are missing in the directory from the object store; files missing in both are ignored.

        Blocks: run it in a thread. Raises `Unavailable` and `OSError`.
        """
        directory = self.directory
        if self.object_store is None or directory is None:
            return
        absent = [digest for digest in dict.fromkeys(digests) if not picture_path(directory, digest).is_file()]
        for start in range(0, len(absent), _FETCHED_AT_ONCE):
            for digest, content in self.object_store.read(absent[start : start + _FETCHED_AT_ONCE]).items():
                write_whole(picture_path(directory, digest), content)

    def picture(self, digest: str) -> Path | None:
        """Return the path of the PNG file with this SHA-256; None if the toolset has no directory."""
        return None if self.directory is None else picture_path(self.directory, digest)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically; it is durable when this returns, and never partial after a crash."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).rename(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def picture_path(directory: Path, digest: str) -> Path:
    """Return the path of a PNG file below the toolset's directory, by its SHA-256."""
    return directory / "pictures" / digest[:2] / f"{digest}.png"
