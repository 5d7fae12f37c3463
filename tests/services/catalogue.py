"""Which services there are, and starting several of them."""

import json
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
    "st": Service("tests.services.st:running", "ENTREPOT_TEST_SENTENCE_TRANSFORMERS_MODEL"),
}


@contextmanager
def all_running(names: Iterable[str], folder: Path) -> Generator[Variables]:
    """Start services, each in a folder of its own, and yield how to reach them all; stop them in any case.

    One whose variable is set already is not started, and is reached as the environment says; nor is one that was lent.
    Raises `Missing` when one cannot be started.
    """
    with ExitStack() as stopping:
        reached: dict[str, str] = {}
        for name in names:
            service = SERVICES[name]
            if service.variable in os.environ:
                reached |= _said(service)
            elif (lent := os.environ.get(_lent(name))) is not None:
                reached |= cast("Variables", json.loads(lent))
            else:
                home = folder / name
                home.mkdir()
                reached |= stopping.enter_context(_start(service)(home))
        yield reached


@contextmanager
def lending(names: Iterable[str], folder: Path) -> Generator[Variables]:
    """Start services for whoever starts services below, and yield the variables that say so to them and to nobody else.

    Raises `Missing` when one cannot be started.
    """
    with ExitStack() as stopping:
        yield {_lent(name): json.dumps(dict(stopping.enter_context(all_running([name], folder)))) for name in names}


def _lent(name: str) -> str:
    return f"ENTREPOT_TEST_LENT_{name.upper().replace('-', '_')}"


def _said(service: Service) -> Variables:
    """Return all that the environment says of the kind of store that a service is for."""
    beginning = service.variable.removesuffix("URI")
    return {name: value for name, value in os.environ.items() if name.startswith(beginning)}


def _start(service: Service) -> Start:
    module, _, function = service.start.partition(":")
    return cast("Start", getattr(import_module(module), function))
