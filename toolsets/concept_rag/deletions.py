"""Deletions in followed folders, distinguished from disks that are not mounted, whose documents stay."""

import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolsets.concept_rag.ingestion.files import scan
from toolsets.concept_rag.pipeline.paths import file_path, is_below, is_gone, recorded_path, with_parents

MISSING: Final = "cannot be read"
EMPTY: Final = "is empty, as it is when its disk is not mounted"
NO_FOLDER: Final = "is no folder any more"
OTHER_DISK: Final = "is on another disk than before"
LEADS_NOWHERE: Final = "is a link that leads nowhere"
"""Why the documents below a path stay."""


@dataclass(frozen=True, slots=True)
class MissingFiles:
    """What became of the recorded files."""

    deleted: Set[str]
    """Recorded paths whose files were certainly deleted."""
    kept: Mapping[str, str]
    """Paths below which documents stay although their files are missing, with the reason."""
    recorded: Set[str]
    """The recorded paths, with those just found except below the kept ones."""


class Deletions:
    """Finds deleted files below the configured paths."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._roots = {recorded_path(path): path for path in paths}
        self._devices: dict[str, int] = {}
        """The device of each folder in which files were found."""

    def find(self, recorded: Set[str], present: Set[str]) -> MissingFiles:
        """Return what became of the recorded files; `present` are the paths just found. Blocks.

        A configured folder that is missing or empty has no deleted files, as for `entrepot ingest --prune`.
        """
        gone = {path for path in recorded - present if is_gone(path)}
        folders = set(map(_folder, gone))
        losing = with_parents(folders)
        # Checked after the files, because a disk may be removed meanwhile.
        kept: dict[str, str] = {}
        for root, path in self._roots.items():
            if reason := _reason_to_keep(path, is_gone_file=root in gone, is_losing=root in losing):
                kept[root] = reason
        known = with_parents(recorded & present) if gone else frozenset[str]()
        for folder in folders:
            if not is_below(folder, kept.keys()):
                kept.update(self._not_mounted(folder, known))
        safe = {path for path in present if not is_below(path, kept.keys())} if kept else present
        self._remember(safe)
        return MissingFiles({path for path in gone if not is_below(path, kept.keys())}, kept, recorded | safe)

    def _not_mounted(self, folder: str, known: Set[str]) -> Mapping[str, str]:
        """Return the nearest folder that exists and why the documents below it stay; empty if they do not.

        A folder on another disk than before has moved there if it is `known` to have files that were recorded before.
        """
        while True:
            path = file_path(folder)
            try:
                state = path.stat()
            except OSError:
                if path.is_symlink():
                    return {folder: LEADS_NOWHERE}
            else:
                if self._devices.get(folder, state.st_dev) == state.st_dev or folder in known:
                    return {}
                return {folder: OTHER_DISK}
            if folder in self._roots or folder == "/":
                return {}
            folder = _folder(folder)

    def _remember(self, present: Set[str]) -> None:
        """Store the devices of the folders that have files."""
        for folder in with_parents(set(map(_folder, present))):
            try:
                self._devices[folder] = file_path(folder).stat().st_dev
            except OSError:
                continue


def _reason_to_keep(path: Path, *, is_gone_file: bool, is_losing: bool) -> str | None:
    """Return why the documents below a configured path stay; None if its missing files are deleted."""
    if not os.path.exists(path):  # noqa: PTH110 -- `Path.exists` raises if a parent folder is not accessible
        # A file that is named in the settings may be deleted like any other.
        return None if is_gone_file and not _is_empty(path.parent) else MISSING
    if not is_losing:
        return None
    if not path.is_dir():
        return NO_FOLDER
    return EMPTY if _is_empty(path) else None


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _is_empty(folder: Path) -> bool:
    """Return whether a folder has nothing in it, or is missing itself."""
    return next((each for each in scan((folder,)) if each.path != folder), None) is None
