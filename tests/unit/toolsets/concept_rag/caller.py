"""The concept_rag toolset called as the gateway calls it, on a library that the tests write and ingest."""

import json
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from backends.ports.adapter import Stores
from backends.ports.embedder import Embedder
from backends.ports.values import Json, JsonObject
from backends.stores import OpenStores
from contracts.reply_checks import ReplyCheck, reply_check
from tests.unit.toolsets.concept_rag.stores import SharedModel, ingest
from toolsets.clock import system_now
from toolsets.concept_rag.errors import ConceptRagEnvelope
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.plugin import tools_of
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.spec import CallContext, Reply, Services, ToolSpec


@dataclass
class Instance:
    """One running toolset, as one process would have it."""

    rag: ConceptRag
    library: Library
    tools: dict[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    checks: dict[str, ReplyCheck] = field(default_factory=dict[str, ReplyCheck])

    def __post_init__(self) -> None:
        self.tools = {tool.name: tool for tool in tools_of(self.library, ConceptRagEnvelope(self.rag.now))}
        self.checks = {tool.name: reply_check(tool.output_schema) for tool in self.tools.values()}

    async def reply(self, tool: str, /, **arguments: Json) -> Reply:
        """Call a tool; every reply, also an error, must fit the schema that the tool publishes."""
        reply = await self.tools[tool].call(arguments, CallContext(tool, request_id="r1"))
        wire = json.loads(json.dumps(reply.structured, allow_nan=False))
        self.checks[tool].validate(wire)
        assert reply.is_error == ("error" in wire)
        if reply.text is not None:
            assert reply.text == wire["result"] or json.loads(reply.text) == wire["result"]
        return reply

    async def ask(self, tool: str, /, **arguments: Json) -> JsonObject:
        reply = await self.reply(tool, **arguments)
        assert not reply.is_error, reply.structured
        return reply.structured

    async def rows(self, tool: str, /, **arguments: Json) -> Sequence[JsonObject]:
        """Return the items of a tool that answers a bare array."""
        return cast("Sequence[JsonObject]", (await self.ask(tool, **arguments))["result"])

    async def error(self, tool: str, /, **arguments: Json) -> Mapping[str, Json]:
        """Return the error of a call that fails."""
        reply = await self.reply(tool, **arguments)
        assert reply.is_error, reply.structured
        return cast("Mapping[str, Json]", reply.structured["error"])

    async def ingest(self, pool: ParserPool, *paths: Path) -> None:
        """Ingest paths, of which none may fail."""
        _, summary = await ingest(self.rag, pool, *paths)
        assert not summary.counts["failed"], summary.counts

    async def forget(self, catalog_id: int) -> None:
        """Forget a document, as the command line does."""
        await Recorder(self.rag, "tests").forget(catalog_id)


def rows_of(reply: Json, key: str) -> Sequence[JsonObject]:
    """Return a list of objects within a reply."""
    return cast("Sequence[JsonObject]", cast("JsonObject", reply)[key])


def texts_of(value: Json) -> list[str]:
    """Return a list of texts within a reply."""
    assert isinstance(value, list)
    return [str(each) for each in value]


def counts_of(value: Json) -> dict[str, int]:
    """Return an object of counts within a reply."""
    assert isinstance(value, dict)
    return {str(name): int(str(count)) for name, count in value.items()}


@asynccontextmanager
async def toolset_in(
    directory: Path, settings: ConceptRagSettings | None = None, *, model: Embedder, **options: Json
) -> AsyncGenerator[Instance]:
    """Run the toolset with SQLite in a data directory."""
    opened = OpenStores({"db": {"kind": "sqlite", **options}, "model": {"kind": "minilm"}}, directory)
    stores: Stores = SharedModel(opened.stores(graph="db", vectors="db", events="db", embedder="model"), model)
    services = Services(
        stores, system_now, random.Random(), settings or ConceptRagSettings(), directory / "concept_rag"
    )
    rag = ConceptRag(services)
    try:
        yield Instance(rag, Library(rag))
    finally:
        await rag.sourced.release()
        await opened.close()
