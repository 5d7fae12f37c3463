"""Writes the skeleton of a package for authors: all of its files, or none."""

import keyword
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Literal

from backends.ports.capabilities import PortName
from gateway.errors import Refused
from gateway.version import installed_version

MAX_NAME = 40
"""The most characters of a name, which becomes a namespace and a part of tools' names."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_PLACEHOLDER = re.compile(r"@([a-z_]+)@")
_TYPES: Mapping[PortName, str] = {
    "graph": "Graph",
    "vectors": "Vectors",
    "events": "EventLog",
    "embedder": "Embedder",
    "language": "LanguageModel",
}
_SPACED: frozenset[PortName] = frozenset({"graph", "vectors"})
"""The ports that an engine has one of per namespace."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A tree of templates, and the value of each `@placeholder@` in them."""

    kind: Literal["adapter", "toolset"]
    values: Mapping[str, str]

    def write(self, directory: Path) -> tuple[PurePosixPath, ...]:
        """Create `directory` with all files and return their paths in it. Raises `Refused` if it exists or cannot be created."""
        written = {path: self._filled(text) for path, text in self._templates()}
        try:
            _make(directory, written)
        except FileExistsError:
            raise Refused(
                f"{directory} already exists; nothing was written. Choose another directory with --into."
            ) from None
        except OSError as error:
            raise Refused(f"{directory} cannot be created: {error.strerror or error}. Nothing was written.") from None
        return tuple(sorted(written))

    def _templates(self) -> Iterator[tuple[PurePosixPath, str]]:
        for path, template in _files_below(files("gateway.skeletons") / self.kind, PurePosixPath()):
            port = re.search(r"PORT_([a-z]+)", path.name)
            if port is None or port[1] == self.values["port"]:
                renamed = str(path).replace("PORT_", "").replace("PACKAGE", self.values["package"])
                target = PurePosixPath(renamed.replace("NAME", self.values["name"]).removesuffix(".template"))
                yield target, template.read_text(encoding="utf-8")

    def _filled(self, text: str) -> str:
        return _PLACEHOLDER.sub(lambda found: self.values[found[1]], text)


def toolset(name: str) -> Skeleton:
    """Return the skeleton of a toolset. Raises `Refused` for an invalid name."""
    names = _names(name)
    # A class called Add or Tool would take the place of another one in the package, and None cannot be one.
    if keyword.iskeyword(names["class"]) or re.search(rf"\b{names['class']}\b", _code("toolset")):
        names["class"] += "Toolset"
    return Skeleton("toolset", names)


def adapter(name: str, port: PortName) -> Skeleton:
    """Return the skeleton of an adapter that offers one port. Raises `Refused` for an invalid name."""
    names = _names(name)
    made = f"{names['class']}{_TYPES[port]}"
    several = port in _SPACED
    state = f"self._ports: dict[Namespace, {made}] = {{}}" if several else f"self._port = {made}()"
    return Skeleton(
        "adapter",
        {
            **names,
            "port": port,
            "type": _TYPES[port],
            "values": ", Namespace" if several else "",
            "state": state,
            "method": port,
            "parameter": "self, namespace: Namespace" if several else "self",
            "made": f"self._ports.setdefault(namespace, {made}())" if several else "self._port",
        },
    )


def _names(name: str) -> dict[str, str]:
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise Refused(
            f"{name[:100]!r} is not a valid name: a name has 1 to {MAX_NAME} lower-case letters, digits and single underscores, "
            "and begins with a letter. Nothing was written."
        )
    words = name.split("_")
    return {
        "name": name,
        "package": f"entrepot_{name}",
        "distribution": f"entrepot-{'-'.join(words)}",
        "title": " ".join(words).capitalize(),
        "class": "".join(word.capitalize() for word in words),
        "version": installed_version(),
    }


def _code(kind: Literal["adapter", "toolset"]) -> str:
    """Return the text of all templates of Python modules."""
    templates = _files_below(files("gateway.skeletons") / kind, PurePosixPath())
    return "\n".join(each.read_text(encoding="utf-8") for path, each in templates if ".py." in path.name)


def _files_below(place: Traversable, path: PurePosixPath) -> Iterator[tuple[PurePosixPath, Traversable]]:
    for each in sorted(place.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            yield from _files_below(each, path / each.name)
        elif each.name.endswith(".template"):
            yield path / each.name, each


def _make(directory: Path, written: Mapping[PurePosixPath, str]) -> None:
    """Create the directory with its files atomically: it is filled under another name and then renamed."""
    # An empty directory reserves the name; only an empty one can be replaced by renaming.
    directory.mkdir()
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
        try:
            for path, text in written.items():
                target = scratch / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
            os.replace(scratch, directory)  # noqa: PTH105 a directory over an empty one
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
    except BaseException:
        directory.rmdir()
        raise
