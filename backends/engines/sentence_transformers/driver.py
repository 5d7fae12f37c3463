"""The typed part of sentence-transformers that is used. Its import takes seconds, so the loading thread does it."""

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from backends.ports.errors import StoreError, Unavailable, Unusable

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

PACKAGE = "sentence_transformers"

if find_spec(PACKAGE) is None:
    raise ImportError(f"No module named {PACKAGE!r}")


class Model(Protocol):
    """A loaded model."""

    def encode(
        self,
        sentences: Sequence[str],
        *,
        batch_size: int,
        show_progress_bar: bool,
        convert_to_numpy: bool,
        normalize_embeddings: bool,
    ) -> "NDArray[numpy.float32]":
        """Return a row per text."""
        ...


class _Library(Protocol):
    def SentenceTransformer(  # noqa: N802 - the library's name
        self,
        model_name_or_path: str,
        *,
        revision: str | None,
        device: str,
        local_files_only: bool,
        trust_remote_code: bool,
    ) -> Model:
        """Load a model from a folder or from the hub."""
        ...


class _Hub(Protocol):
    def snapshot_download(self, repo_id: str, *, revision: str | None, local_files_only: bool) -> str:
        """Return the folder of a model in the cache, which is named by its commit."""
        ...


def load(model: Path | str, *, revision: str | None, device: str, offline: bool) -> tuple[Model, str | None]:
    """Load a model from a folder, or by name from the hub or its cache. Return it, with its commit if loaded by name.

    No code from the model is run. Raises `Unusable` for a folder without a model and `Unavailable` for a name that
    cannot be loaded. Blocking.
    """
    library = cast("_Library", import_module(PACKAGE))
    try:
        # Even with local_files_only the library contacts the hub for a name, but not for a folder.
        place = _cached(model, revision) if offline and isinstance(model, str) else model
        loaded = library.SentenceTransformer(
            str(place),
            revision=revision if isinstance(place, str) else None,
            device=device,
            local_files_only=isinstance(place, Path),
            trust_remote_code=False,
        )
        return loaded, _cached(model, revision).name if isinstance(model, str) else None
    except Exception as error:  # several libraries read untrusted files here; any exception concerns the model
        raise _problem(error, model, offline=offline) from error


def _cached(model: str, revision: str | None) -> Path:
    hub = cast("_Hub", import_module("huggingface_hub"))
    return Path(hub.snapshot_download(model, revision=revision, local_files_only=True))


def versions() -> dict[str, str]:
    """Return the versions of the library and of torch."""
    return {name: version(name) for name in ("sentence-transformers", "torch")}


def _problem(error: Exception, model: Path | str, *, offline: bool) -> StoreError:
    said = " ".join(str(error).split())[:300] or type(error).__name__
    if isinstance(model, Path):
        return Unusable(f"{model} holds no sentence-transformers model that can be loaded: {said}")
    remedy = "it is not in the cache and offline = true" if offline else "check its name and the connection to the hub"
    return Unavailable(f"the model {model!r} cannot be loaded: {remedy} ({said})")
