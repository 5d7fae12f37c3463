"""The tool for visuals: filters that combine, files that exist, pictures, and each visual as a resource."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from backends.ports.values import Json, JsonObject
from tests.unit.toolsets.concept_rag.books import CIRCUITS, ORCHESTRA
from tests.unit.toolsets.concept_rag.caller import Instance, rows_of, toolset_in
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.concept_rag.tools import visuals
from toolsets.concept_rag.tools.visuals import visual_resources
from toolsets.spec import CallContext, ResourceNotFound

CONTEXT = CallContext("resource")


async def found(instance: Instance, **filters: Json) -> list[JsonObject]:
    reply = await instance.ask("get_visuals", **filters)
    rows = [*rows_of(reply, "visuals")]
    assert reply["total_returned"] == len(rows)
    return rows


async def test_without_a_filter_the_first_visuals_are_listed(instance: Instance) -> None:
    rows = await found(instance)
    assert len(rows) == 3
    assert {str(row["catalog_title"]) for row in rows} == {CIRCUITS, ORCHESTRA}
    for row in rows:
        assert set(row) == {
            "id",
            "catalog_id",
            "catalog_title",
            "visual_type",
            "page_number",
            "description",
            "image_path",
            "concepts",
        }
    assert await found(instance, limit=2) == rows[:2]
    assert (await instance.ask("get_visuals"))["filters_applied"] == {}


async def test_paths_lead_to_the_pictures(instance: Instance) -> None:
    for row in await found(instance):
        path = Path(str(row["image_path"]))
        assert path.is_absolute()
        assert hashlib.sha256(path.read_bytes()).hexdigest() == path.stem
        assert path.read_bytes().startswith(b"\x89PNG")


async def test_filters_combine(instance: Instance) -> None:
    rows = await found(instance)
    circuits = [row for row in rows if row["catalog_title"] == CIRCUITS]
    (orchestra,) = [row for row in rows if row["catalog_title"] == ORCHESTRA]
    catalog_id = circuits[0]["catalog_id"]
    assert await found(instance, catalog_id=catalog_id) == circuits
    assert await found(instance, concept="Debounce Circuits") == circuits
    assert await found(instance, concept="conductor") == [orchestra]
    assert await found(instance, concept="music director") == [orchestra], "a synonym, as in the other tools"
    assert await found(instance, catalog_id=catalog_id, ids=[orchestra["id"]]) == []
    assert await found(instance, catalog_id=orchestra["catalog_id"], concept="debounce circuit") == []
    wanted: dict[str, Json] = {"ids": [circuits[0]["id"]], "visual_type": str(circuits[0]["visual_type"])}
    reply = await instance.ask("get_visuals", catalog_id=catalog_id, concept="debounce circuit", **wanted)
    assert reply["filters_applied"] == {**wanted, "catalog_id": catalog_id, "concept": "debounce circuit"}
    assert [*rows_of(reply, "visuals")] == circuits[:1]


async def test_types_are_distinguished(instance: Instance) -> None:
    by_type = {str(row["visual_type"]) for row in await found(instance)}
    for kind in ("diagram", "flowchart", "chart", "table", "figure"):
        rows = await found(instance, visual_type=kind)
        assert {str(row["visual_type"]) for row in rows} == by_type & {kind}


@pytest.mark.parametrize(
    "filters", [{"ids": [12345]}, {"ids": []}, {"catalog_id": 12345}, {"concept": "no such concept"}]
)
async def test_what_is_unknown_finds_nothing(instance: Instance, filters: Mapping[str, Json]) -> None:
    reply = await instance.ask("get_visuals", **filters)
    assert (reply["visuals"], reply["total_returned"], reply["filters_applied"]) == ([], 0, filters)


async def test_the_limit_counts_for_ids_too_and_unknown_ids_are_skipped(instance: Instance) -> None:
    rows = await found(instance)
    ids = [12345, *(row["id"] for row in rows)]
    assert await found(instance, ids=ids, limit=2) == rows[:2]
    assert await found(instance, ids=ids) == rows


async def test_a_visual_whose_file_is_missing_is_left_out(instance: Instance) -> None:
    rows = await found(instance)
    Path(str(rows[0]["image_path"])).unlink()
    assert await found(instance, limit=2) == rows[1:]


async def test_the_pictures_come_along_where_the_settings_say_so(data: Path, model: RememberingModel) -> None:
    async with toolset_in(data, ConceptRagSettings(images=True), model=model) as instance:
        reply = await instance.reply("get_visuals")
        paths = [Path(str(row["image_path"])) for row in rows_of(reply.structured, "visuals")]
        assert [image.data for image in reply.images] == [path.read_bytes() for path in paths]
        assert {image.mime_type for image in reply.images} == {"image/png"}


async def test_without_the_setting_no_picture_comes_along(instance: Instance) -> None:
    assert (await instance.reply("get_visuals")).images == ()


async def test_pictures_stop_at_the_size_of_a_reply_and_the_reply_says_so(
    data: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with toolset_in(data, ConceptRagSettings(images=True), model=model) as instance:
        first = Path(str((await found(instance))[0]["image_path"]))
        monkeypatch.setattr(visuals, "IMAGES_ROOM", first.stat().st_size)
        reply = await instance.reply("get_visuals")
    assert len(reply.images) == 1
    assert "first 1 visuals" in str(reply.structured["message"])


async def test_each_visual_is_a_resource(instance: Instance) -> None:
    resources = visual_resources(instance.library)
    assert (resources.uri_template, resources.mime_type) == ("concept-rag://visuals/{id}", "image/png")
    for row in await found(instance):
        content = await resources.read({"id": str(row["id"])}, CONTEXT)
        assert content == Path(str(row["image_path"])).read_bytes()


@pytest.mark.parametrize("name", ["12345", "", "x", "-1", "9" * 40, "../../etc/passwd", "１２"])
async def test_a_resource_of_no_visual_is_not_found(instance: Instance, name: str) -> None:
    with pytest.raises(ResourceNotFound):
        await visual_resources(instance.library).read({"id": name}, CONTEXT)


async def test_a_resource_whose_file_is_missing_is_not_found(instance: Instance) -> None:
    row = (await found(instance))[0]
    Path(str(row["image_path"])).unlink()
    with pytest.raises(ResourceNotFound):
        await visual_resources(instance.library).read({"id": str(row["id"])}, CONTEXT)


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"ids": "5"}, "ids"),
        ({"ids": [1.5]}, "ids.0"),
        ({"ids": [1] * 1_001}, "ids"),
        ({"visual_type": "photo"}, "visual_type"),
        ({"limit": 0}, "limit"),
        ({"limit": 1_001}, "limit"),
        ({"catalog_id": -1}, "catalog_id"),
        ({"images": True}, "images"),
    ],
)
async def test_bad_arguments_are_refused_by_name(instance: Instance, filters: Mapping[str, Json], field: str) -> None:
    error = await instance.error("get_visuals", **filters)
    assert (error["code"], error["field"]) == ("VALIDATION_ERROR", field)
