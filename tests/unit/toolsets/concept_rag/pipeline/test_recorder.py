"""The recorder beside another run on the same log."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import anyio
import pytest

from backends.ports.events import RecordedEvent, StreamName
from tests.support.documents import markdown
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, nodes, records, toolset_in
from toolsets.concept_rag.catalog import Plan
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.numeric_ids import document_id_of
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.streams import DOCUMENTS


async def test_two_runs_at_once_make_each_document_once(
    tmp_path: Path, pool: ParserPool, folder: Path, model: RememberingModel
) -> None:
    for number in range(8):
        (folder / f"{number}.md").write_bytes(markdown(f"{RELAY} {number}"))
    async with toolset_in(tmp_path / "data", model=model) as one, toolset_in(tmp_path / "data", model=model) as other:
        async with ParserPool() as second, anyio.create_task_group() as group:
            group.start_soon(ingest, one, pool, folder)
            group.start_soon(ingest, other, second, folder)
        await one.sourced.relay.catch_up()
        seen = await nodes(one, "document")
        assert len(seen) == 8
        assert await (await one.live_stores.log()).count(DOCUMENTS) == 8
        assert len(await records(one, "chunks")) == 8
        assert await nodes(one, "version") == ()


async def test_a_plan_is_made_on_one_moment_of_the_log(
    tmp_path: Path, pool: ParserPool, folder: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "a.md"
    file.write_bytes(markdown(RELAY))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    async with toolset_in(tmp_path / "data", model=model) as one, toolset_in(tmp_path / "data", model=model) as other:
        log = await one.live_stores.log()
        read = log.read_streams

        async def overtaken(streams: Collection[StreamName]) -> Mapping[StreamName, Sequence[RecordedEvent]]:
            found = await read(streams)
            await ingest(other, pool, folder)
            return found

        monkeypatch.setattr(log, "read_streams", overtaken)
        known = await Recorder(one, "ingest").known(str(file), digest)
        assert known.plan == Plan("add", document_id_of(digest))
