"""A process that has our imports behind it and forks itself for each command: run by path, told on a socket what to become.

A message is one byte with four descriptors: standard input, output and error of the command, and one end of a
conversation. On that comes a line of JSON (words, environment, folder); back go the command's process number and, once
it has ended, its exit code, a line each.
"""

import atexit
import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO, cast

from toolsets.arguments import Arguments
from toolsets.schemas import input_schema, output_schema
from toolsets.tools import Tool

OURS = (
    *(
        "gateway.cli.main",
        "gateway.cli.commands",
        "gateway.cli.serve",
        "gateway.cli.rebuild",
        "gateway.cli.toolset",
        "gateway.server",
    ),
    *("gateway.mcp_server", "gateway.transports.http", "gateway.transports.listener", "gateway.transports.stdio"),
    *(
        "toolsets.agent_graph.plugin",
        "toolsets.concept_rag.plugin",
        "toolsets.knowledge.plugin",
        "toolsets.memory.plugin",
        "toolsets.skills.plugin",
    ),
    *("backends.engines.lancedb", "backends.engines.minilm.adapter", "backends.engines.sqlite.adapter"),
    *("toolsets.concept_rag.pipeline.run", "toolsets.skills.learner"),
)
# Not onnxruntime, pyarrow and lancedb: they start threads as they are imported, and a fork would lack them. Nor neo4j, which
# imports pyarrow where it is. Nor kuzu: a fork for a profile with Ladybug could not load its own driver.
LIBRARIES = (
    *("anyio._backends._asyncio", "chromadb", "lance_namespace", "numpy", "psycopg"),
    *("uvicorn.protocols.http.httptools_impl", "uvloop"),
)


_CODES: list[int] = []
"""The exit code of a command that has called `sys.exit`."""


@atexit.register
def leave() -> None:
    """End a command once its threads have ended and all other exit handlers have run: this one is registered first.

    Deallocating all that the imports have made would copy every page and take longer than most commands.
    """
    if _CODES:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_CODES[0])


def main() -> None:
    """Fork for each message, until the socket is closed."""
    control = socket.socket(fileno=int(sys.argv[1]))
    gc.disable()  # while modules are imported, which all stay
    for name in (*OURS, *filter(find_spec, LIBRARIES)):
        import_module(name)
    describe()
    threads = Path("/proc/self/task")
    if threads.exists() and len(list(threads.iterdir())) > 1:
        raise RuntimeError("an import has started a thread, which forks would lack")
    gc.collect()
    gc.freeze()  # else the first collection in a fork would copy every page
    gc.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        message, files, _, _ = socket.recv_fds(control, 1, 4)
        collect()
        if not message:
            return
        if os.fork() == 0:
            control.close()
            watch(files[:3], socket.socket(fileno=files[3]))
            return
        for file in files:
            os.close(file)


def describe() -> None:
    """Generate the schemas of our tools, which are kept and take a quarter of what a start does after its imports."""
    for name in [name for name in sys.modules if name.startswith("toolsets.")]:
        named: Iterable[object] = getattr(sys.modules[name], "TOOLS", ())
        for tool in named:
            if isinstance(tool, Tool):
                known = cast("Tool[object, Arguments]", tool)
                input_schema(known.arguments)
                output_schema(known.reply if isinstance(known.reply, tuple) else (known.reply,), error={})


def collect() -> None:
    """Take note of the forks that have ended, so that what they cost is counted as ours."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def watch(standard: list[int], conversation: socket.socket) -> None:
    """Fork once more, tell the command's number, wait for it and tell its exit code; the fork runs the command."""
    with conversation, conversation.makefile("rw", encoding="utf-8") as lines:
        words, environment, folder = json.loads(lines.readline())
        number = os.fork()
        if number:
            for file in standard:
                os.close(file)
            _tell(lines, number)
            _, status = os.waitpid(number, 0)
            _tell(lines, os.waitstatus_to_exitcode(status))
            os._exit(0)
    for place, file in enumerate(standard):
        os.dup2(file, place)
        os.close(file)
    # Whether a stream can seek is noted as it is made, and these would be those of another file.
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", 1, closefd=False)
    become(words, environment, folder)


def _tell(lines: TextIO, number: int) -> None:
    lines.write(f"{number}\n")
    lines.flush()


def become(words: list[str], environment: dict[str, str], folder: str) -> None:
    """Run the command as if it had been started with this environment in this folder."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    search = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [place for place in search if place not in sys.path]
    sys.argv = ["entrepot", *words]
    try:
        import_module("gateway.cli.main").main()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            _CODES.append(ended.code or 0)
        raise


if __name__ == "__main__":
    main()
