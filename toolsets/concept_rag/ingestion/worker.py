"""The parser process: parses one file after another, within limits of memory, time and file size.

It reads requests from standard input and writes replies to standard output (`frames`). The standard streams of parsers
are the null device. It ends with the process that started it.
"""

import ctypes
import hashlib
import os
import resource
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from toolsets.concept_rag.ingestion.document import NotADocument, ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.files import digest_of, open_regular
from toolsets.concept_rag.ingestion.formats import HEAD, ParserEntry, check_content
from toolsets.concept_rag.ingestion.frames import (
    LENGTH,
    READY,
    Request,
    decode_request,
    encode_document,
    encode_error,
)
from toolsets.concept_rag.ingestion.normal_text import quotable

OUT_OF_MEMORY: Final = 77
"""The exit code of a worker that reached its memory limit."""
MAX_WRITTEN_BYTES: Final = 64 * 1024 * 1024
"""The largest file that a parser may write; page images for other programs have about ten MiB."""
_OCR_SHARE: Final = 0.7
"""The share of a file's time for character recognition."""
_GRACE_S: Final = 5.0
"""A worker ends itself this long after its time limit, in case its parent no longer can."""
_PR_SET_PDEATHSIG: Final = 1


def serve(parent: int, memory_bytes: int) -> None:
    """Answer the requests of the process `parent` until its stream ends."""
    _die_with(parent)
    requests, replies = _own_streams()
    _limit(memory_bytes)
    replies.write(READY)
    while True:
        replies.flush()
        header = requests.read(LENGTH.size)
        if len(header) < LENGTH.size:
            return
        request = decode_request(requests.read(LENGTH.unpack(header)[0]))
        signal.setitimer(signal.ITIMER_REAL, request.seconds + _GRACE_S)
        try:
            retires = _answer(request, replies, memory_bytes)
        except MemoryError:
            # Nothing that allocates memory is safe here.
            os._exit(OUT_OF_MEMORY)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if retires:
            replies.flush()
            return


def _die_with(parent: int) -> None:
    """End when `parent` ends. On systems without such a signal, the end of the requests and the timer replace it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the standard streams, and give parsers the null device instead."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(null, 2)
    return requests, replies


def _limit(memory_bytes: int) -> None:
    """Limit the address space, which includes all allocations, and the size of written files; disable core dumps.

    Programs that a parser starts inherit the limits. macOS does not enforce the limit on address space.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_WRITTEN_BYTES, MAX_WRITTEN_BYTES))
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    except (ValueError, OSError):
        return


def _answer(request: Request, replies: BinaryIO, memory_bytes: int) -> bool:
    """Send the result of a file; return whether this process uses too much memory for another file."""
    try:
        document = _parse(request)
        retires = _is_bloated(memory_bytes)
        parts = list(encode_document(document, retires=retires))
    except (Unreadable, NotADocument) as error:
        retires = _is_bloated(memory_bytes)
        parts = [encode_error(error, retires=retires)]
    for part in parts:
        replies.write(part)
    return retires


def _is_bloated(memory_bytes: int) -> bool:
    """Return whether half of the memory is in use, so that leftovers of one file could fail the next."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return False
    return pages * resource.getpagesize() > memory_bytes // 2


def _parse(request: Request) -> ParsedDocument:
    """Return the document in a file, with the hash of the parsed bytes. Raises `Unreadable` and `NotADocument`."""
    path = request.file()
    entry = ParserEntry(request.module, request.function, request.takes, request.max_bytes)
    with open_regular(path) as file:
        before = os.fstat(file.fileno())
        _check_size(before.st_size, request.max_bytes)
        if request.takes == "path":
            check_content(request.format, file.read(HEAD))
            digest = digest_of(file)
            document = _run(entry, path, None, request.seconds)
            unchanged = digest_of(file) == digest
        else:
            data = file.read(before.st_size + 1)
            check_content(request.format, data)
            digest = hashlib.sha256(data).hexdigest()
            unchanged = len(data) == before.st_size
            document = _run(entry, path, data, request.seconds)
        if not unchanged or not _is_same(before, file, path):
            raise Unreadable("changed", "The file was written to while it was read; read it again once that has ended.")
    if not document.blocks:
        raise NotADocument("no_text", "The file has no text.")
    return replace(document, sha256=digest)


def _check_size(size: int, max_bytes: int) -> None:
    if size == 0:
        raise NotADocument("empty", "The file is empty.")
    if size > max_bytes:
        raise Unreadable("too_large", f"The file has {size:,} bytes; {max_bytes:,} are read of its format.")


def _run(entry: ParserEntry, path: Path, data: bytes | None, seconds: float) -> ParsedDocument:
    try:
        if data is None:
            return entry.load_path_parser()(path, ocr_total_s=_OCR_SHARE * seconds)
        return entry.load_bytes_parser()(path, data)
    except (Unreadable, NotADocument, MemoryError):
        raise
    except ImportError as error:
        raise Unreadable("crashed", f"The parser cannot be loaded: {quotable(str(error), 300)}") from error
    except Exception as error:  # parsers raise arbitrary errors for damaged files
        raise Unreadable(
            "damaged", f"The file cannot be read ({type(error).__name__}: {quotable(str(error), 300)})."
        ) from error


def _is_same(before: os.stat_result, file: BinaryIO, path: Path) -> bool:
    """Return whether the file is unchanged, and still the one at its path."""
    try:
        states = (before, os.fstat(file.fileno()), path.stat())
    except OSError:
        return False
    return len({(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns) for state in states}) == 1


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
