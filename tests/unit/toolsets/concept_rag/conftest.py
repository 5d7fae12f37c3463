"""The shipped embedder, which these tests use as it is, and a library that is ingested once."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

import backends.engines.minilm.model
from backends.engines.minilm.model import MiniLM
from backends.engines.minilm.tokenizer import WordPiece
from backends.ports.embedder import EmbedderIdentity
from tests.unit.toolsets.concept_rag import caller
from tests.unit.toolsets.concept_rag.books import books
from tests.unit.toolsets.concept_rag.stores import toolset_in
from toolsets.concept_rag.concepts import Embed
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.settings import ConceptRagSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = Path(backends.engines.minilm.model.__file__).parent


@pytest.fixture(scope="session")
def embed() -> Embed:
    model = MiniLM(FOLDER)
    rows: dict[str, NDArray[numpy.float32]] = {}

    async def embed_texts(texts: Sequence[str]) -> "NDArray[numpy.float32]":
        for text in texts:
            if text not in rows:
                rows[text] = model.embed(text)
        return numpy.stack([rows[text] for text in texts])

    return embed_texts


@pytest.fixture(scope="session")
def wordpiece() -> WordPiece:
    return WordPiece(FOLDER / "vocab.txt")


_IDENTITY = EmbedderIdentity(model="all-MiniLM-L6-v2", dim=384, revision="tests")


@dataclass
class RememberingModel:
    """The shipped embedder for all tests, each text embedded once."""

    embed_texts: Embed
    texts: int = 0
    identity: EmbedderIdentity = field(default=_IDENTITY)

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        self.texts += len(texts)
        return await self.embed_texts(texts)


@pytest.fixture
def model(embed: Embed) -> RememberingModel:
    return RememberingModel(embed)


@pytest.fixture(scope="module")
async def pool() -> AsyncGenerator[ParserPool]:
    async with ParserPool() as opened:
        yield opened


@pytest.fixture
async def rag(tmp_path: Path, model: RememberingModel) -> AsyncGenerator[ConceptRag]:
    async with toolset_in(tmp_path / "data", model=model) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    return made


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, embed: Embed) -> Path:
    """A data directory with the books, and the books beside it."""
    place = tmp_path_factory.mktemp("shelf")
    (place / "books").mkdir()
    for name, content in books().items():
        (place / "books" / name).write_bytes(content)

    async def ingest() -> None:
        async with ParserPool() as opened, caller.toolset_in(place / "data", model=RememberingModel(embed)) as running:
            await running.ingest(opened, place / "books")

    asyncio.run(ingest())
    return place


@pytest.fixture
def data(shelf: Path, tmp_path: Path) -> Path:
    """A copy of the data directory with the books."""
    return Path(shutil.copytree(shelf / "data", tmp_path / "data"))


@pytest.fixture
async def instance(data: Path, model: RememberingModel) -> AsyncGenerator[caller.Instance]:
    """The tools over the books."""
    async with caller.toolset_in(data, model=model) as running:
        yield running


@pytest.fixture
async def debugged(data: Path, model: RememberingModel) -> AsyncGenerator[caller.Instance]:
    """The tools over the books, showing what scores consist of."""
    async with caller.toolset_in(data, ConceptRagSettings(debug_search=True), model=model) as running:
        yield running
