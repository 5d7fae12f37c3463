"""Any chat endpoint that speaks OpenAI's protocol, as a language model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from backends.openai_compatible.endpoint import ChatEndpoint
from backends.openai_compatible.settings import ChatSettings
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError
from backends.ports.language import LanguageModel
from backends.ports.options import parse_options
from backends.ports.values import Json


class ChatEngine(Engine):
    """An endpoint that is asked when there is something to ask: opening it needs no answer."""

    def __init__(self, settings: ChatSettings) -> None:
        self._endpoint = ChatEndpoint(settings)

    async def language(self) -> LanguageModel:
        """Return the endpoint's model."""
        return self._endpoint

    async def health(self) -> Health:
        """Ask the endpoint whether it answers; no model is run."""
        try:
            await self._endpoint.ping()
        except StoreError as error:
            return Health(ok=False, detail=str(error))
        return Health(ok=True, detail=f"{self._endpoint.place} answers", versions={"model": self._endpoint.model})

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()


class ChatAdapter:
    """Language models behind HTTP, here or anywhere."""

    name: Final = "openai_compatible"
    capabilities: Final = Capabilities(ports=frozenset({"language"}), processes="many")
    settings: type[BaseModel] = ChatSettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> ChatEngine:
        """Return the engine; the endpoint is not asked, for a toolset works without it."""
        return ChatEngine(parse_options(ChatSettings, options))


ADAPTER: Final = ChatAdapter()
