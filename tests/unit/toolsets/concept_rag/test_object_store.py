"""Pictures in an object store: one machine ingests, another one shows them, and what is lost there is told."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.services.needed import Missing, required
from tests.services.s3 import BUCKET, REGION, served
from tests.services.s3 import ObjectStore as Server
from tests.support.documents import docx, docx_image, docx_paragraph, png
from tests.unit.toolsets.concept_rag.caller import Instance, rows_of, toolset_in
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from toolsets.concept_rag.health import ConceptRagHealth, FolderStatus
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.object_store import ObjectStore, PictureBucket
from toolsets.concept_rag.pipeline.maintenance import Maintenance
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.concept_rag.tools.visuals import visual_resources
from toolsets.spec import CallContext

CONTEXT = CallContext("resource")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    try:
        with served(tmp_path_factory.mktemp("s3")) as running:
            yield running
    except Missing as missing:
        (pytest.fail if required() else pytest.skip)(str(missing))


@pytest.fixture
def bucket(server: Server, tmp_path: Path) -> PictureBucket:
    """Return a prefix of its own."""
    return PictureBucket(
        uri=f"s3://{BUCKET}/pictures-{tmp_path.name}",
        endpoint=server.endpoint,
        region=REGION,
        access_key=server.access_key,
        secret_key=SecretStr(server.secret_key),
        timeout_s=3,
    )


@pytest.fixture
async def instance(tmp_path: Path, bucket: PictureBucket, model: RememberingModel) -> AsyncGenerator[Instance]:
    async with toolset_in(tmp_path / "data", ConceptRagSettings(pictures=bucket), model=model) as running:
        yield running


async def ingest(instance: Instance, pool: ParserPool, folder: Path) -> Path:
    """Ingest a document with one picture; return its file in the directory."""
    body = [docx_paragraph("A relay is a switch."), docx_paragraph("", content=docx_image("i1"))]
    folder.mkdir()
    (folder / "a.docx").write_bytes(docx(body, title="Relays", media={"i1": png()}))
    await instance.ingest(pool, folder)
    (row,) = rows_of(await instance.ask("get_visuals"), "visuals")
    return Path(str(row["image_path"]))


async def test_a_picture_comes_from_the_object_store_where_the_directory_lacks_it(
    instance: Instance, pool: ParserPool, tmp_path: Path
) -> None:
    """Another machine has the same library and an empty directory."""
    path = await ingest(instance, pool, tmp_path / "books")
    content = path.read_bytes()
    path.unlink()
    (row,) = rows_of(await instance.ask("get_visuals"), "visuals")
    assert Path(str(row["image_path"])).read_bytes() == content
    path.unlink()
    resource = visual_resources(instance.library)
    assert await resource.read({"id": str(row["id"])}, CONTEXT) == content


async def test_a_picture_that_the_object_store_lost_is_a_problem_and_is_not_shown(
    instance: Instance, pool: ParserPool, tmp_path: Path, bucket: PictureBucket
) -> None:
    path = await ingest(instance, pool, tmp_path / "books")
    assert (await ConceptRagHealth(instance.rag, FolderStatus())()).problems == ()
    ObjectStore(bucket).remove([path.stem], -3_600)
    (problem,) = (await ConceptRagHealth(instance.rag, FolderStatus())()).problems
    assert f"{bucket.uri}/{path.stem[:2]}/{path.name}" in problem
    path.unlink()
    assert rows_of(await instance.ask("get_visuals"), "visuals") == []
    await instance.ingest(pool, tmp_path / "books")
    assert len(rows_of(await instance.ask("get_visuals"), "visuals")) == 1
    assert ObjectStore(bucket).missing([path.stem]) == []


async def test_what_no_document_shows_leaves_the_object_store(
    instance: Instance, pool: ParserPool, tmp_path: Path, bucket: PictureBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await ingest(instance, pool, tmp_path / "books")
    store = ObjectStore(bucket)
    assert [*store.idle(3_600)] == []
    assert [*store.idle(-3_600)] == [[path.stem]]
    (row,) = rows_of(await instance.ask("get_visuals"), "visuals")
    await instance.forget(int(str(row["catalog_id"])))
    monkeypatch.setattr("toolsets.concept_rag.pipeline.maintenance.SPARED_S", -3_600.0)
    await Maintenance(instance.rag, Recorder(instance.rag, "tests")).sweep()
    assert [*store.idle(-3_600)] == []
    assert not path.exists()
    assert store.missing([path.stem]) == [f"{bucket.uri}/{path.stem[:2]}/{path.name}"]
    store.remove([path.stem], -3_600)


async def test_a_picture_stored_again_after_it_was_listed_stays_in_the_object_store(
    instance: Instance, pool: ParserPool, tmp_path: Path, bucket: PictureBucket
) -> None:
    path = await ingest(instance, pool, tmp_path / "books")
    store = ObjectStore(bucket)
    (listed,) = store.idle(-3_600)
    store.put([path])
    store.remove(listed, 3_600)
    assert store.missing([path.stem]) == []


async def test_an_object_store_that_does_not_answer_fails_the_call_and_may_be_tried_again(
    instance: Instance, pool: ParserPool, tmp_path: Path, server: Server
) -> None:
    path = await ingest(instance, pool, tmp_path / "books")
    path.unlink()
    server.pause()
    try:
        error = await instance.error("get_visuals")
    finally:
        server.go_on()
    assert error["code"] == "DATABASE_ERROR"
    assert error["context"] == {"cause": "unavailable", "retryable": True}
    assert len(rows_of(await instance.ask("get_visuals"), "visuals")) == 1
