"""A small model in a folder, and a machine without a network."""

import socket
from importlib.util import find_spec
from pathlib import Path

import pytest

from backends.ports.errors import StoreError
from backends.ports.values import Json
from tests.services import st
from tests.services.needed import Missing

needs_library = pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="needs the extra st")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        with st.running(tmp_path_factory.mktemp("st")) as variables:
            return Path(variables["ENTREPOT_TEST_SENTENCE_TRANSFORMERS_MODEL"])
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse every connection and record the host names looked up."""
    asked: list[str] = []

    def refuse(host: str, *args: object, **options: object) -> list[object]:
        asked.append(host)
        raise socket.gaierror(socket.EAI_AGAIN, "there is no network here")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return asked


async def refused(kind: type[StoreError], directory: Path, **options: Json) -> str:
    from backends.engines.sentence_transformers.adapter import ADAPTER

    with pytest.raises(StoreError) as caught:
        await ADAPTER.open(options, directory)
    assert type(caught.value) is kind, caught.value
    return str(caught.value)
