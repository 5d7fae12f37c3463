"""The process of `entrepot`; kept separate because the imports of `commands` take most of a start and may be interrupted."""

import atexit
import gc
import io
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from gateway.errors import INTERRUPTED_CODE, print_interrupted


def main() -> None:
    """Run the command line and exit: 0 success, 1 failure, 2 wrong usage, 130 interrupted. Errors are printed to stderr."""
    ctrl_c = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGTERM, _end)
    if callable(ctrl_c):  # a script may have set it to be ignored
        signal.signal(signal.SIGINT, _end)
    _check_standard_streams()
    _escape_what_has_no_code()
    # New files are readable only by their owner, even those of engines that would let others read them.
    os.umask(0o077)
    # Otherwise the interpreter's last garbage collections visit everything ever imported, which dominates the shutdown.
    atexit.register(gc.freeze)
    from gateway.cli.commands import run

    signal.signal(signal.SIGINT, ctrl_c)
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(run())


def _end(_: int, __: FrameType | None) -> None:
    """End the process at once: nothing has been opened yet, and an exception would end within an import."""
    print_interrupted()
    os._exit(INTERRUPTED_CODE)


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Interrupt as Ctrl-C does, which closes everything in order, even if a script has set SIGINT to be ignored."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _check_standard_streams() -> None:
    """Refuse to run without descriptors 0 to 2: the next open files would get them, and prints would go into a database."""
    missing = [name for number, name in enumerate(("input", "output", "error")) if not _is_open(number)]
    if missing:
        sentence = (
            f"entrepot: standard {' and '.join(missing)} must be open; connect what is not needed to /dev/null.\n"
        )
        with suppress(OSError):
            os.write(2, sentence.encode())
        os._exit(1)  # an ordinary exit would flush streams that do not exist


def _escape_what_has_no_code() -> None:
    """Print characters that the encoding of the output lacks, such as quotation marks in Latin-1, as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # tests replace it
            stream.reconfigure(errors="backslashreplace")


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
