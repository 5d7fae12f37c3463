"""An open engine whose ports are checked; the two ports of models, which have few rules, are checked here too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backends.ports.adapter import Engine, Health
from backends.ports.checked.events import CheckedEventLog
from backends.ports.checked.graph import CheckedGraph
from backends.ports.checked.vectors import CheckedVectors
from backends.ports.embedder import Embedder, EmbedderIdentity
from backends.ports.errors import Unsupported
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.ids import namespace as check_namespace
from backends.ports.language import AnswerT, LanguageModel, check_images, check_prompt
from backends.ports.text import check_text
from backends.ports.values import Namespace
from backends.ports.vectors import Vectors

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


class CheckedEmbedder:
    """An embedder that gets only valid texts. Raises `InvalidInput` for others, and what the embedder raises."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def identity(self) -> EmbedderIdentity:
        """The model; known without loading it."""
        return self._embedder.identity

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """Check each text."""
        for text in texts:
            check_text(text, what="a text to embed")
        return await self._embedder.embed(texts)


class CheckedLanguageModel:
    """A language model that gets only valid prompts. Raises `InvalidInput` for others, and what the model raises."""

    def __init__(self, language: LanguageModel, *, takes_images: bool = False) -> None:
        self._language = language
        self._takes_images = takes_images

    @property
    def model(self) -> str:
        """Which model answers."""
        return self._language.model

    async def answer(
        self, prompt: str, shape: type[AnswerT], *, instructions: str = "", images: Sequence[bytes] = ()
    ) -> AnswerT:
        """Check prompt, instructions and images. Raises `Unsupported` for images where the adapter says it takes none."""
        check_prompt(prompt, instructions)
        if not images:  # an adapter that takes none may lack the argument
            return await self._language.answer(prompt, shape, instructions=instructions)
        if not self._takes_images:
            raise Unsupported(f"the language model {self.model} takes no images here")
        check_images(images)
        return await self._language.answer(prompt, shape, instructions=instructions, images=images)


class CheckedEngine(Engine):
    """An open engine that hands out checked ports. Each call asks the engine, because that may open files."""

    def __init__(self, engine: Engine, *, takes_images: bool = False) -> None:
        """Take an engine, and whether its adapter says that prompts may have images."""
        self._engine = engine
        self._takes_images = takes_images
        self._events: tuple[EventLog, CheckedEventLog] | None = None
        self._embedder: tuple[Embedder, CheckedEmbedder] | None = None
        self._language: tuple[LanguageModel, CheckedLanguageModel] | None = None

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the graph of a namespace. Raises `InvalidInput` for an invalid name, and what the engine raises."""
        return CheckedGraph(await self._engine.graph(check_namespace(namespace)))

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace. Raises `InvalidInput` for an invalid name, and what the engine raises."""
        return CheckedVectors(await self._engine.vectors(check_namespace(namespace)))

    async def events(self) -> EventLog:
        """Return the event log. Raises what the engine raises."""
        log = await self._engine.events()
        if self._events is None or self._events[0] is not log:
            self._events = (log, CheckedEventLog(log))
        return self._events[1]

    async def embedder(self) -> Embedder:
        """Return the embedder. Raises what the engine raises."""
        embedder = await self._engine.embedder()
        if self._embedder is None or self._embedder[0] is not embedder:
            self._embedder = (embedder, CheckedEmbedder(embedder))
        return self._embedder[1]

    async def language(self) -> LanguageModel:
        """Return the language model. Raises what the engine raises."""
        language = await self._engine.language()
        if self._language is None or self._language[0] is not language:
            self._language = (language, CheckedLanguageModel(language, takes_images=self._takes_images))
        return self._language[1]

    async def verify(self) -> None:
        """Read all that is stored. Raises what the engine raises."""
        await self._engine.verify()

    async def out_of_space(self) -> str | None:
        """Ask the engine whether it has space left."""
        return await self._engine.out_of_space()

    async def health(self) -> Health:
        """Ask the engine whether it answers."""
        return await self._engine.health()

    async def close(self) -> None:
        """Close the engine; repeatable."""
        await self._engine.close()
