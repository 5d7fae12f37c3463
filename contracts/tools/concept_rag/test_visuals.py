"""get_visuals and the resource of each visual: pictures of documents."""

import base64
import hashlib
from pathlib import Path

import pytest
from mcp import MCPError
from mcp_types import BlobResourceContents

from contracts.promises import promise
from contracts.tools.concept_rag.client import ConceptRagClient
from contracts.tools.concept_rag.library import CAPACITORS, RELAYS
from contracts.tools.concept_rag.replies import Visual

PNG = b"\x89PNG\r\n\x1a\n"


@promise("concept_rag:visuals:reply")
async def test_the_visuals_of_a_document_are_returned_in_order(client: ConceptRagClient) -> None:
    """Each has type, page, description, the concepts near it, and the path of an existing picture."""
    relays = client.library.catalog_id("relays.docx")
    reply = await client.visuals(catalog_id=relays)
    assert [visual.visual_type for visual in reply.visuals] == ["flowchart", "diagram", "chart", "table"]
    assert len(reply.visuals) == client.library.reports["relays.docx"].visuals
    for visual in reply.visuals:
        assert (visual.catalog_id, visual.catalog_title, visual.page_number) == (relays, RELAYS, 1)
        assert _picture(visual).startswith(PNG)
    assert reply.visuals[1].description == "Figure 2: Circuit diagram with a relay, a transistor and a flyback diode"
    assert {"relay", "flyback diode"} <= set(reply.visuals[1].concepts)
    assert reply.filters_applied == {"catalog_id": relays}


@promise("concept_rag:visuals:filters")
async def test_filters_narrow_together(client: ConceptRagClient) -> None:
    """The reply repeats the filters that were sent."""
    relays, capacitors = client.library.catalog_id("relays.docx"), client.library.catalog_id("capacitors.epub")
    charts = await client.visuals(visual_type="chart")
    assert {visual.catalog_title for visual in charts.visuals} == {RELAYS, CAPACITORS}
    [chart] = (await client.visuals(visual_type="chart", catalog_id=capacitors)).visuals
    assert (chart.catalog_title, chart.page_number) == (CAPACITORS, 4)
    diode = await client.visuals(concept="flyback diode", visual_type="diagram", catalog_id=relays, limit=5)
    assert diode.visuals
    assert all("flyback diode" in visual.concepts for visual in diode.visuals)
    sent = {"concept": "flyback diode", "visual_type": "diagram", "catalog_id": relays}
    assert {name: value for name, value in diode.filters_applied.items() if name != "limit"} == sent
    assert (await client.visuals(concept="flyback diode", catalog_id=capacitors)).visuals == []
    assert (await client.visuals(ids=[chart.id], catalog_id=relays)).visuals == []
    assert (await client.visuals(ids=[chart.id], visual_type="chart", catalog_id=capacitors)).visuals == [chart]


@promise("concept_rag:visuals:unfiltered")
async def test_without_a_filter_the_first_visuals_come(client: ConceptRagClient) -> None:
    """There are as many as the limit, and the same ones each time."""
    everything = await client.visuals()
    assert len(everything.visuals) == 7
    assert everything.filters_applied == {}
    assert (await client.visuals(limit=2)).visuals == everything.visuals[:2]


@promise("concept_rag:visuals:ids")
async def test_visuals_are_fetched_by_id(client: ConceptRagClient) -> None:
    """Unknown ids are skipped, and the limit applies to ids, too."""
    ids = [visual.id for visual in (await client.visuals()).visuals]
    found = await client.visuals(ids=[*ids[:2], 1, 2**53 - 1])
    assert sorted(visual.id for visual in found.visuals) == sorted(ids[:2])
    assert len((await client.visuals(ids=[*ids], limit=3)).visuals) == 3
    assert (await client.visuals(ids=[1])).visuals == []


@promise("concept_rag:visuals:unknown")
async def test_a_document_or_concept_without_visuals_has_an_empty_list(client: ConceptRagClient) -> None:
    """A filter that matches nothing is no error, whether its document or concept is known or not."""
    assert (await client.visuals(catalog_id=client.library.catalog_id("tides.pdf"))).visuals == []
    assert (await client.visuals(catalog_id=1)).visuals == []
    assert (await client.visuals(concept="no such concept at all")).visuals == []


@promise("concept_rag:visuals:concept")
async def test_a_concept_leads_to_its_visuals(client: ConceptRagClient) -> None:
    """The ids in the reply of concept_search are those of visuals that show the concept."""
    relay = await client.concept("relay")
    assert relay.image_ids
    found = await client.visuals(ids=[*relay.image_ids])
    assert {visual.id for visual in found.visuals} == set(relay.image_ids)
    assert all("relay" in visual.concepts for visual in found.visuals)


@promise("concept_rag:visuals:resource")
async def test_each_visual_is_a_resource(client: ConceptRagClient) -> None:
    """A visual is a PNG file under its id, with the picture of the document."""
    for visual in (await client.visuals()).visuals:
        uri = f"concept-rag://visuals/{visual.id}"
        [content] = (await client.connection.client.read_resource(uri)).contents
        assert isinstance(content, BlobResourceContents)
        assert (str(content.uri), content.mime_type) == (uri, "image/png")
        assert base64.b64decode(content.blob) == _picture(visual)
    templates = (await client.connection.client.list_resource_templates()).resource_templates
    assert "concept-rag://visuals/{id}" in [template.uri_template for template in templates]
    for name in ("1", "no-number", str(2**60)):
        with pytest.raises(MCPError):
            await client.connection.client.read_resource(f"concept-rag://visuals/{name}")


@promise("concept_rag:visuals:picture")
async def test_the_same_picture_is_kept_once(client: ConceptRagClient) -> None:
    """Files are named by their content."""
    for visual in (await client.visuals()).visuals:
        assert Path(visual.image_path).stem == hashlib.sha256(_picture(visual)).hexdigest()


def _picture(visual: Visual) -> bytes:
    return Path(visual.image_path).read_bytes()
