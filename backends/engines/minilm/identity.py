"""The identity of a model, and the files that it was computed from."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backends.engines.minilm.model import DIM
from backends.ports.embedder import EmbedderIdentity
from backends.ports.errors import InvalidInput, Unavailable, Unusable

MODEL: Final = "model.onnx"
VOCABULARY: Final = "vocab.txt"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of a model and their SHA-256 digests."""

    directory: Path
    digests: Mapping[str, str]
    identity: EmbedderIdentity
    remedy: str
    """What to do if a file has other bytes."""

    def check(self) -> None:
        """Compare the files with their digests. Blocking; it takes about 25 ms.

        Raises `Unusable` for a file with other bytes, `Unavailable` for one that cannot be read.
        """
        for name, digest in self.digests.items():
            path = self.directory / name
            try:
                found = _digest(path).hex()
            except OSError as problem:
                raise Unavailable(f"the embedding model cannot be loaded: {problem}") from problem
            # With most altered weights the network would still run and return other vectors, without an error.
            if found != digest:
                raise Unusable(f"{path} has been changed: its SHA-256 is {found}, not {digest}; {self.remedy}")


SHIPPED: Final = ModelFiles(
    Path(__file__).parent,
    {
        MODEL: "284685dd129c9b0e454932bf55925171ff17a1f5b4d55490b0c29092ecab6b4c",
        VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
    EmbedderIdentity(model="all-MiniLM-L6-v2", dim=DIM, revision="int8-284685dd129c"),
    "reinstall Entrepot",
)


def files_in(directory: Path) -> ModelFiles:
    """Return the files of a model in a folder. Its revision depends on both, as the vocabulary determines the input.

    Blocking. Raises `InvalidInput` for files that cannot be read.
    """
    try:
        found = {name: _digest(directory / name) for name in (MODEL, VOCABULARY)}
    except OSError as problem:
        raise InvalidInput(f"option directory: {problem}") from problem
    revision = hashlib.sha256(found[MODEL] + found[VOCABULARY]).hexdigest()[:12]
    identity = EmbedderIdentity(model=directory.resolve().name, dim=DIM, revision=revision)
    remedy = "restore the former file, or restart to use it as another model"
    return ModelFiles(directory, {name: digest.hex() for name, digest in found.items()}, identity, remedy)


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
