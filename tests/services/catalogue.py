"""Which services there are, and starting several of them."""

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeAlias, cast

Variables: TypeAlias = Mapping[str, str]
"""How to reach a service, in the variables that the contract suite reads."""

Start: TypeAlias = Callable[[Path], AbstractContextManager[Variables]]
"""Starts a service that keeps its data in a folder, and stops it at the end. Raises `Missing`."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service: the function that starts it, and the variable that names one that runs already."""

    start: str
    variable: str


SERVICES: Mapping[str, Service] = {
    "chat": Service("tests.services.chat:running", "ENTREPOT_TEST_OPENAI_COMPATIBLE_BASE_URL"),
    "chroma": Service("tests.services.chroma:running", "ENTREPOT_TEST_CHROMA_URI"),
    "neo4j": Service("tests.services.neo4j:running", "ENTREPOT_TEST_NEO4J_URI"),
    "neo4j-lts": Service("tests.services.neo4j:running_lts", "ENTREPOT_TEST_NEO4J_URI"),
    "postgres": Service("tests.services.postgres:running", "ENTREPOT_TEST_POSTGRES_URI"),
    "s3": Service("tests.services.s3:running", "ENTREPOT_TEST_LANCEDB_URI"),
}


@contextmanager
def all_running(names: Iterable[str], folder: Path) -> Generator[Variables]:
    """Start services, each in a folder of its own, and yield how to reach them all; stop them in any case.

    One whose variable is set already is not started. Raises `Missing` when one cannot be.
    """
    with ExitStack() as stopping:
        reached: dict[str, str] = {}
        for name in names:
            service = SERVICES[name]
            if service.variable not in os.environ:
                home = folder / name
                home.mkdir()
                reached |= stopping.enter_context(_start(service)(home))
        yield reached


def _start(service: Service) -> Start:
    module, _, function = service.start.partition(":")
    return cast("Start", getattr(import_module(module), function))
