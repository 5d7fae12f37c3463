"""The adapter of chat endpoints that speak OpenAI's protocol."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from backends.engines.openai_compatible.endpoint import ChatEndpoint
from backends.engines.openai_compatible.settings import OpenAICompatibleSettings
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError
from backends.ports.language import LanguageModel
from backends.ports.options import parse_options
from backends.ports.values import Json


class OpenAICompatibleEngine(Engine):
    """An endpoint. Opening it makes no request."""

    def __init__(self, settings: OpenAICompatibleSettings) -> None:
        self._endpoint = ChatEndpoint(settings)

    async def language(self) -> LanguageModel:
        """Return the endpoint's model."""
        return self._endpoint

    async def health(self) -> Health:
        """Report whether the endpoint answers. No model is run."""
        try:
            await self._endpoint.ping()
        except StoreError as error:
            return Health(ok=False, detail=str(error))
        return Health(ok=True, detail=f"{self._endpoint.place} answers", versions={"model": self._endpoint.model})

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()


class OpenAICompatibleAdapter:
    """Language models behind HTTP, local or remote."""

    name: Final = "openai_compatible"
    capabilities: Final = Capabilities(ports=frozenset({"language"}), processes="many")
    settings: type[BaseModel] = OpenAICompatibleSettings

    def capabilities_with(self, options: Mapping[str, Json]) -> Capabilities:
        """Return whether the model is sent images, too. Raises `InvalidInput` for a wrong option."""
        return replace(self.capabilities, images=parse_options(OpenAICompatibleSettings, options).images)

    async def open(self, options: Mapping[str, Json], directory: Path) -> OpenAICompatibleEngine:
        """Return the engine. No request is made, because toolsets work without a language model."""
        return OpenAICompatibleEngine(parse_options(OpenAICompatibleSettings, options))


ADAPTER: Final = OpenAICompatibleAdapter()
