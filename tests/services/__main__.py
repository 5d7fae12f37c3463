"""Run a command with real servers beside it.

python -m tests.services neo4j postgres -- entrepot contracts --profile scale
python -m tests.services --lend neo4j -- tox

The second has one server for all the runs of this command that are started below it; no other sees its variables. What cannot
be started is not lent, and is left to them.
"""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.services.catalogue import SERVICES, Variables, all_running, lending
from tests.services.needed import Missing, required


def main(words: list[str]) -> int:
    """Start the services before `--`, run the command after it, stop them; return the command's exit code."""
    names, command = words[: words.index("--")], words[words.index("--") + 1 :]
    lend = names[:1] == ["--lend"]
    names = names[lend:]
    if unknown := sorted({*names} - {*SERVICES}):
        print(f"no such service: {', '.join(unknown)}; there are: {', '.join(SERVICES)}")
        return 2
    with tempfile.TemporaryDirectory(prefix="entrepot-services-") as folder:
        try:
            with (lending if lend else all_running)(names, Path(folder)) as variables:
                return _run(command, variables)
        except Missing as missing:
            if lend:
                print(f"not lent: {missing}", flush=True)
                return _run(command, {})
            print(f"{'FAILED' if required() else 'SKIPPED'}: {' '.join(command)}\n  {missing}")
            return 1 if required() else 0


def _run(command: list[str], variables: Variables) -> int:
    with subprocess.Popen(command, env={**os.environ, **variables}) as process:
        try:
            return process.wait()
        finally:
            # When we are told to end, so is the command, which may have to stop what it has started.
            process.terminate()


def end(number: int, _: object) -> None:
    """End in order when asked to, so that what was started is stopped."""
    sys.exit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)
    sys.exit(main(sys.argv[1:]))
