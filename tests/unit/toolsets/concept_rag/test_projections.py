"""What stores hold of documents, chunks and concepts, and that a rebuild holds the same."""

from collections.abc import Callable
from typing import TypeVar

from tests.unit.toolsets.concept_rag.library import chunk_facts, content
from tests.unit.toolsets.concept_rag.stores import nodes, records
from toolsets.concept_rag.catalog import forget, plan_file, record_content, remove_path
from toolsets.concept_rag.document import Content
from toolsets.concept_rag.file_record import FileRefusal, refuse
from toolsets.concept_rag.numeric_ids import concept_id_of
from toolsets.concept_rag.part import add_parts, begin, drop_version, parts_of
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.streams import chunk_record, concept_node, document_node, mention_node, visual_node
from toolsets.concept_rag.vocabulary import ConceptEntry, record_concepts
from toolsets.reports import no_progress
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext

ValueT = TypeVar("ValueT")


async def write(rag: ConceptRag, decide: Callable[[Histories], Decision[ValueT]]) -> ValueT:
    written = await rag.sourced.writes.write(decide, CallContext("test"), streams=())
    assert written.indexed
    return written.value


async def ingest(rag: ConceptRag, path: str, *texts: str, concepts: tuple[str, ...] = (), images: int = 0) -> Content:
    """Record a file as the ingestion does."""
    plan = await write(rag, lambda histories: Decision(plan_file(histories, path, texts[0])))
    entries = [ConceptEntry(id=concept_id_of(name), name=name, key=name) for name in concepts]
    await write(rag, lambda histories: record_concepts(histories, entries))
    chunks = chunk_facts(*texts, concepts=concepts)
    edition = content(plan.catalog_id, texts[0], chunks, concepts=concepts, images=images)
    parts = parts_of(plan.catalog_id, edition.token, chunks)
    await write(rag, lambda histories: begin(histories, parts))
    await write(rag, lambda histories: add_parts(histories, parts))
    await write(rag, lambda histories: record_content(histories, path, edition, plan))
    return edition


async def test_a_document_is_a_node_with_mentions_categories_visuals_and_passages(rag: ConceptRag) -> None:
    edition = await ingest(rag, "/a", "relays", "coils", concepts=("relay", "coil"), images=1)
    (document,) = await nodes(rag, "document")
    catalog_id = int(document.fields["catalog"]) if isinstance(document.fields["catalog"], int) else 0
    assert document.id == document_node(catalog_id)
    assert document.fields["token"] == edition.token
    assert (document.fields["chunks"], document.fields["path"]) == (2, "/a")
    assert document.props["primary"] == ["relay", "coil"]
    mentions = {node.id: node for node in await nodes(rag, "mention")}
    assert set(mentions) == {mention_node(catalog_id, concept_id_of(name)) for name in ("relay", "coil")}
    assert [node.fields["name"] for node in await nodes(rag, "membership")] == ["General"]
    assert [node.id for node in await nodes(rag, "visual")] == [visual_node(edition.visuals[0].id)]
    assert {node.id for node in await nodes(rag, "concept")} == {
        concept_node(concept_id_of(name)) for name in ("relay", "coil")
    }
    chunks = {record.id: record for record in await records(rag, "chunks")}
    assert set(chunks) == {chunk_record(edition.token, 0, 0), chunk_record(edition.token, 0, 1)}
    assert chunks[chunk_record(edition.token, 0, 1)].text == "coils"
    assert [record.text for record in await records(rag, "catalog")] == [edition.searched]
    assert sorted(record.text for record in await records(rag, "concepts")) == ["coil", "relay"]
    assert await nodes(rag, "version") == ()


async def test_an_update_replaces_what_the_old_version_had(rag: ConceptRag) -> None:
    former = await ingest(rag, "/a", "relays", concepts=("relay",), images=2)
    edition = await ingest(rag, "/a", "diodes", concepts=("diode",), images=1)
    (document,) = await nodes(rag, "document")
    assert document.fields["token"] == edition.token != former.token
    assert [node.fields["name"] for node in await nodes(rag, "mention")] == ["diode"]
    assert len(await nodes(rag, "visual")) == 1
    (superseded,) = await nodes(rag, "version")
    assert (superseded.id, superseded.fields["state"]) == (former.token, "superseded")
    await write(rag, lambda histories: drop_version(histories, former.token, begun_before=rag.now()))
    assert [record.text for record in await records(rag, "chunks")] == ["diodes"]
    assert await nodes(rag, "version") == ()


async def test_a_forgotten_document_leaves_nothing_but_its_concepts(rag: ConceptRag) -> None:
    edition = await ingest(rag, "/a", "relays", concepts=("relay",), images=1)
    (document,) = await nodes(rag, "document")
    catalog_id = document.fields["catalog"]
    assert isinstance(catalog_id, int)
    await write(rag, lambda histories: forget(histories, catalog_id))
    await write(rag, lambda histories: drop_version(histories, edition.token, begun_before=rag.now()))
    for kind in ("document", "mention", "membership", "visual", "version"):
        assert await nodes(rag, kind) == ()
    assert await records(rag, "chunks") == await records(rag, "catalog") == ()
    assert len(await nodes(rag, "concept")) == 1


async def test_a_refused_file_is_a_node_until_it_is_gone(rag: ConceptRag) -> None:
    refusal = FileRefusal(path="/b", content_hash="x", status="failed", kind="damaged", reason="Broken.", revision=1)
    await write(rag, lambda histories: refuse(histories, refusal))
    (node,) = await nodes(rag, "refused_file")
    assert (node.fields["path"], node.props["reason"]) == ("/b", "Broken.")
    await write(rag, lambda histories: remove_path(histories, "/b"))
    assert await nodes(rag, "refused_file") == ()


async def test_a_rebuild_holds_the_same(rag: ConceptRag) -> None:
    former = await ingest(rag, "/a", "relays", "coils", concepts=("relay",), images=2)
    await ingest(rag, "/a", "diodes", concepts=("diode",))
    await ingest(rag, "/b", "resistors", concepts=("diode",), images=1)
    await write(rag, lambda histories: drop_version(histories, former.token, begun_before=rag.now()))
    await write(rag, lambda histories: remove_path(histories, "/b"))
    report = await rag.sourced.rebuilder.rebuild(no_progress)
    assert report.digest == report.former_digest
    assert report.embedded == 0
