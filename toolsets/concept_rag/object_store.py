"""The object store for PNG files of visuals when several machines share a library; the local directory is its cache."""

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from backends.ports.errors import Unavailable, Unusable

if TYPE_CHECKING:
    from pathlib import Path

ItemT = TypeVar("ItemT")
DoneT = TypeVar("DoneT")

_AT_ONCE: Final = 8
"""The most concurrent requests."""
_PER_BATCH: Final = 100
"""Files that one query of the graph looks up before they are removed."""
_SUFFIX: Final = ".png"


class PictureBucket(BaseModel):
    """The `[toolsets.concept_rag.pictures]` table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    uri: str = Field(
        pattern=r"^s3://[^/]+(/.+)?$", description="s3://bucket/prefix; the prefix belongs to this installation alone."
    )
    endpoint: str | None = Field(
        default=None, description="Address of an object store that is not Amazon's, e.g. http://localhost:9000."
    )
    region: str | None = Field(default=None, description="The region of the bucket.")
    access_key: str | None = Field(
        default=None, description="Access key of the object store; by default what the environment gives (AWS_...)."
    )
    secret_key: SecretStr | None = Field(default=None, description="Secret key that belongs to the access key.")
    timeout_s: float = Field(default=10.0, gt=0, le=600, description="How long one request may take.")


class _Info(Protocol):
    """The fields used of the driver's object information."""

    @property
    def path(self) -> str: ...
    @property
    def is_file(self) -> bool: ...
    @property
    def mtime(self) -> datetime | None: ...


class _Stream(Protocol):
    def read(self) -> bytes: ...
    def write(self, data: bytes) -> object: ...
    def close(self) -> None: ...


class _Files(Protocol):
    """The methods used of the driver's file system."""

    def open_input_stream(self, path: str) -> _Stream: ...
    def open_output_stream(self, path: str) -> _Stream: ...
    def get_file_info(self, paths: object) -> Sequence[_Info]: ...
    def delete_file(self, path: str) -> None: ...


class _Driver(Protocol):
    """The names used of `pyarrow.fs`."""

    def S3FileSystem(self, **options: object) -> _Files: ...  # noqa: N802 -- the driver's name
    def FileSelector(self, path: str, *, allow_not_found: bool, recursive: bool) -> object: ...  # noqa: N802


class ObjectStore:
    """PNG files by the SHA-256 of their bytes. All methods block. They raise `Unavailable` if the store does not answer."""

    def __init__(self, bucket: PictureBucket) -> None:
        """Opens nothing yet."""
        self._bucket = bucket
        self._prefix = bucket.uri.removeprefix("s3://").rstrip("/")

    def put(self, paths: Iterable["Path"]) -> None:
        """Store files under their names; rewriting an existing file renews its age, so that no sweep removes it."""

        def put(path: "Path") -> None:
            stream = self._files.open_output_stream(self._key(path.stem))
            stream.write(path.read_bytes())
            stream.close()

        with self._translated("storing pictures"):
            _each(put, [*paths])

    def read(self, digests: Collection[str]) -> dict[str, bytes]:
        """Return the files among `digests` that exist."""

        def read(digest: str) -> tuple[str, bytes | None]:
            try:
                stream = self._files.open_input_stream(self._key(digest))
            except FileNotFoundError:
                return digest, None
            content = stream.read()
            stream.close()
            return digest, content

        with self._translated("reading pictures"):
            found = _each(read, [*digests])
        return {digest: content for digest, content in found if content is not None}

    def missing(self, digests: Collection[str]) -> list[str]:
        """Return the addresses of the missing files among `digests`."""
        with self._translated("looking for pictures"):
            infos = _each(lambda digest: self._files.get_file_info([self._key(digest)])[0], [*digests])
        return [f"s3://{info.path}" for info in infos if not info.is_file]

    def stored(self) -> frozenset[str]:
        """Return the digests of all files."""
        return frozenset(map(_digest, self._listed()))

    def idle(self, age_s: float) -> Iterator[list[str]]:
        """Yield the digests of files that were not stored within the last `age_s` seconds, at most 100 at a time."""
        latest = time.time() - age_s
        names = [_digest(info) for info in self._listed() if _is_older(info, latest)]
        for start in range(0, len(names), _PER_BATCH):
            yield names[start : start + _PER_BATCH]

    def remove(self, digests: Collection[str], age_s: float) -> None:
        """Remove files, except those stored within the last `age_s` seconds; missing files are ignored.

        A file stored between the two requests for it is removed; the next run that compares its document stores it again.
        """
        latest = time.time() - age_s

        def remove(digest: str) -> None:
            if _is_older(self._files.get_file_info([self._key(digest)])[0], latest):
                self._files.delete_file(self._key(digest))

        with self._translated("removing pictures"):
            _each(remove, [*digests])

    def _listed(self) -> list[_Info]:
        selector = self._driver.FileSelector(self._prefix, allow_not_found=True, recursive=True)
        with self._translated("listing pictures"):
            infos = self._files.get_file_info(selector)
        return [info for info in infos if info.is_file and info.path.endswith(_SUFFIX)]

    def _key(self, digest: str) -> str:
        return f"{self._prefix}/{digest[:2]}/{digest}{_SUFFIX}"

    @cached_property
    def _driver(self) -> _Driver:
        try:
            return cast("_Driver", import_module("pyarrow.fs"))
        except ImportError as error:
            raise Unusable("pictures in an object store need pyarrow: pip install 'entrepot[lancedb]'") from error

    @cached_property
    def _files(self) -> _Files:
        bucket = self._bucket
        scheme, _, address = (bucket.endpoint or "").rpartition("://")
        secret = None if bucket.secret_key is None else bucket.secret_key.get_secret_value()
        given = {
            "access_key": bucket.access_key,
            "secret_key": secret,
            "region": bucket.region,
            "scheme": scheme or None,
            "endpoint_override": address or None,
        }
        return self._driver.S3FileSystem(
            request_timeout=bucket.timeout_s,
            connect_timeout=bucket.timeout_s / 2,
            **{name: value for name, value in given.items() if value is not None},
        )

    @contextmanager
    def _translated(self, during: str) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise Unavailable(f"{during} in {self._bucket.uri}: {error}") from error


def _digest(info: _Info) -> str:
    return info.path.rpartition("/")[2].removesuffix(_SUFFIX)


def _is_older(info: _Info, moment: float) -> bool:
    """Return whether it is a file that was last stored before a Unix time in seconds."""
    return info.is_file and info.mtime is not None and info.mtime.timestamp() < moment


def _each(work: Callable[[ItemT], DoneT], items: Sequence[ItemT]) -> list[DoneT]:
    """Apply `work` to each item, several at a time; return the results in the order of the items."""
    if len(items) <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(work, items))
