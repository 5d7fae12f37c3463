"""Parsers that do what a file says: crash, hang, grow, print and worse. Worker processes import them."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from toolsets.concept_rag.ingestion.document import Block, Format, NotADocument, ParsedDocument, Picture, Unreadable
from toolsets.concept_rag.ingestion.formats import ParserEntry

PARSERS: Final[Mapping[Format, ParserEntry]] = {
    "text": ParserEntry(__name__, "parse_bytes", "bytes", 1 << 20),
    "markdown": ParserEntry(__name__, "parse_path", "path", 1 << 20),
    "html": ParserEntry(__name__, "no_such_function", "bytes", 1 << 20),
    "epub": ParserEntry("tests.support.no_such_module", "parse", "bytes", 1 << 20),
}
"""Which of them reads a file: `.txt`, `.md`, `.html` or `.epub`."""


def parse_bytes(path: Path, data: bytes) -> ParsedDocument:
    """Do what the bytes say."""
    return _parse(path, data.decode())


def parse_path(path: Path, *, ocr_total_s: float) -> ParsedDocument:
    """Do what the file says; "budget" tells the time that is given for reading images of pages."""
    if path.stem == "budget":
        return _document(f"{ocr_total_s:.0f}")
    return _parse(path, path.read_text())


def _parse(path: Path, deed: str) -> ParsedDocument:
    return _DEEDS[deed](path) if deed in _DEEDS else _document(deed)


def _document(text: str, *, pictures: tuple[Picture, ...] = ()) -> ParsedDocument:
    return ParsedDocument("text", "", "", "", 1, (Block("paragraph", text, 1),), pictures)


def _abort(path: Path) -> ParsedDocument:
    os.abort()


def _segfault(path: Path) -> ParsedDocument:
    ctypes.string_at(1)
    return _document("alive")


def _spin(path: Path) -> ParsedDocument:
    while True:
        pass


def _wait(path: Path) -> ParsedDocument:
    signal.pause()
    return _document("awake")


def _grow(path: Path) -> ParsedDocument:
    kept: list[bytes] = []
    while True:
        kept.append(bytes(range(256)) * 40_000)


def _grow_some(path: Path) -> ParsedDocument:
    _KEPT.append(bytes(200 << 20))
    return _document(str(os.getpid()))


_KEPT: Final[list[bytes]] = []


def _print(path: Path) -> ParsedDocument:
    print("\x00\x00\x00\x05hello", flush=True)
    print("to the other stream", file=sys.stderr, flush=True)
    os.write(1, b"x" * 100_000)
    return _document(f"read {len(sys.stdin.read())} characters")


def _exit(path: Path) -> ParsedDocument:
    sys.exit(0)


def _leave(path: Path) -> ParsedDocument:
    os._exit(0)


def _raise(path: Path) -> ParsedDocument:
    raise KeyError("no such key \ud800\x1b")


def _recurse(path: Path) -> ParsedDocument:
    return _recurse(path)


def _refuse(path: Path) -> ParsedDocument:
    raise Unreadable("encrypted", "It has a lock.")


def _skip(path: Path) -> ParsedDocument:
    raise NotADocument("no_text", "It shows pictures only.")


def _truncate(path: Path) -> ParsedDocument:
    os.truncate(path, 3)
    return _document("text")


def _replace(path: Path) -> ParsedDocument:
    os.replace(path.with_name("other"), path)
    return _document("text")


def _remove(path: Path) -> ParsedDocument:
    path.unlink()
    return _document("text")


def _write(path: Path) -> ParsedDocument:
    try:
        with path.with_name("written").open("wb") as file:
            file.truncate(65 << 20)
    except OSError as error:
        return _document(type(error).__name__)
    return _document("written")


def _surrogate(path: Path) -> ParsedDocument:
    return _document("\ud800")


def _flood(path: Path) -> ParsedDocument:
    return _document("x" * (100 << 20))


def _gallery(path: Path) -> ParsedDocument:
    image = b"\x89PNG\r\n\x1a\n" + bytes(20 << 20)
    return _document("text", pictures=tuple(Picture(image, 1, "figure", "", "", 1, 1) for _ in range(4)))


def _fake_image(path: Path) -> ParsedDocument:
    return _document("text", pictures=(Picture(b"GIF89a", 1, "figure", "", "", 1, 1),))


def _silence(path: Path) -> ParsedDocument:
    return ParsedDocument("text", "", "", "", 1, ())


def _variables(path: Path) -> ParsedDocument:
    return _document(" ".join(sorted(os.environ)))


def _process(path: Path) -> ParsedDocument:
    return _document(str(os.getpid()))


def _listen(path: Path) -> ParsedDocument:
    """Say where this process is, to a socket beside the file, and wait."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(path.with_name("socket")))
        line.sendall(str(os.getpid()).encode())
        signal.pause()
    return _document("awake")


def _scratch(path: Path) -> ParsedDocument:
    descriptor, name = tempfile.mkstemp()
    os.close(descriptor)
    return _document(name)


def _start(path: Path) -> ParsedDocument:
    """Start a process of its own, say which, and wait."""
    started = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(path.with_name("socket")))
        line.sendall(str(started.pid).encode())
        signal.pause()
    return _document("awake")


_DEEDS: Final[Mapping[str, Callable[[Path], ParsedDocument]]] = {
    "abort": _abort,
    "truncate": _truncate,
    "exit": _exit,
    "fake image": _fake_image,
    "flood": _flood,
    "gallery": _gallery,
    "grow": _grow,
    "grow some": _grow_some,
    "leave": _leave,
    "listen": _listen,
    "print": _print,
    "process": _process,
    "raise": _raise,
    "recurse": _recurse,
    "refuse": _refuse,
    "remove": _remove,
    "replace": _replace,
    "scratch": _scratch,
    "segfault": _segfault,
    "silence": _silence,
    "skip": _skip,
    "spin": _spin,
    "start": _start,
    "surrogate": _surrogate,
    "variables": _variables,
    "wait": _wait,
    "write": _write,
}
