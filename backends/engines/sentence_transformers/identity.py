"""The identity of a model: its commit or a digest of its files; kept separate because `adapter` computes it without torch."""

import hashlib
from pathlib import Path
from typing import Final

from backends.ports.errors import InvalidInput, Unusable

SHAPING: Final = frozenset({".json", ".txt", ".model", ".safetensors", ".bin", ".npy", ".npz"})
DIGITS: Final = 12
"""48 bits: short enough to be shown, and long enough that two folders of an operator do not share them."""


def place_of(model: str, directory: Path) -> Path | str:
    """Return the folder of a model, or its name on the hub. Raises `InvalidInput` for a missing folder."""
    folder = directory / Path(model).expanduser()
    if folder.is_dir():
        return folder
    if model.startswith((".", "/", "~")) or model.count("/") > 1:
        raise InvalidInput(f"option model: there is no folder {folder}")
    return model


def digest_of(folder: Path) -> str:
    """Return a shortened digest over file names and contents. Blocking. Raises `Unusable` for unreadable files."""
    whole = hashlib.sha256()
    try:
        for path in sorted(path for path in folder.rglob("*") if path.suffix in SHAPING):
            whole.update(str(path.relative_to(folder)).encode())
            with path.open("rb") as content:
                whole.update(hashlib.file_digest(content, "sha256").digest())
    except OSError as error:
        raise Unusable(f"{folder} cannot be read: {error}") from error
    return whole.hexdigest()[:DIGITS]


def check_revision(folder: Path, wanted: str | None, found: str) -> str:
    """Return the revision of a folder. Raises `Unusable` if the configuration names another."""
    if wanted is not None and wanted != found:
        raise Unusable(
            f"{folder} holds revision {found}, but the configuration says {wanted}: put that model back, or set revision "
            f'= "{found}" and run `entrepot rebuild`'
        )
    return found
