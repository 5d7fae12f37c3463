"""The neural network: token ids in, one unit vector out."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from backends.engines.minilm.tokenizer import WordPiece

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

DIM = 384
"""The size of the network's output."""


class _Options(Protocol):
    intra_op_num_threads: int
    inter_op_num_threads: int

    def add_session_config_entry(self, key: str, value: str, /) -> None: ...


class _Session(Protocol):
    def run(
        self, outputs: None, inputs: "Mapping[str, NDArray[numpy.int64]]", /
    ) -> "Sequence[NDArray[numpy.float32]]": ...


class _Runtime(Protocol):
    """The typed part of onnxruntime that is used; it has no type annotations of its own."""

    def SessionOptions(self) -> _Options: ...  # noqa: N802 - the library's name

    def InferenceSession(  # noqa: N802 - the library's name
        self, path: str, options: _Options, /, *, providers: Sequence[str]
    ) -> _Session: ...


class ModelError(Exception):
    """The model could not be loaded or run."""


class MiniLM:
    """A loaded model. It runs one text at a time: with dynamic int8 a text's vector would depend on the others in a batch."""

    def __init__(self, directory: Path) -> None:
        """Load the model. Raises `ModelError`."""
        with _translated((ImportError,)):
            runtime = cast("_Runtime", import_module("onnxruntime"))
        self._failures = _failures()
        options = runtime.SessionOptions()
        # Several texts run in parallel instead of threads inside one run, which busy-wait for each other and cost more
        # than they gain on a loaded machine.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        with _translated((OSError, ValueError, *self._failures)):
            model = str(directory / "model.onnx")
            self._session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            self._tokenizer = WordPiece(directory / "vocab.txt")

    def embed(self, text: str) -> "NDArray[numpy.float32]":
        """Return the vector of `text`, mean-pooled over its tokens, with unit norm. Raises `ModelError`."""
        import numpy as np

        ids = np.array([self._tokenizer.encode(text)], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        with _translated(self._failures):
            pooled = self._session.run(None, inputs)[0][0].mean(axis=0)
        return (pooled / np.linalg.norm(pooled)).astype(np.float32)


@contextmanager
def _translated(failures: tuple[type[Exception], ...]) -> Generator[None]:
    """Raise `ModelError` in place of `failures`."""
    try:
        yield
    except failures as problem:
        raise ModelError(str(problem)) from problem


def _failures() -> tuple[type[Exception], ...]:
    """Return onnxruntime's exceptions, which share no base class but `Exception`."""
    state = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    members: Sequence[object] = [*vars(state).values()]
    return tuple(member for member in members if isinstance(member, type) and issubclass(member, Exception))
