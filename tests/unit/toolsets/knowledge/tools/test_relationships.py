"""Creating and deleting relationships, as a caller sees it."""

from backends.ports.values import Json
from tests.support.toolsets.knowledge import Instance

NOBODY = "00000000-0000-4000-8000-000000000000"


async def test_relationships_are_made_once_and_can_be_made_again(knowledge: Instance) -> None:
    a, b = await knowledge.create("A"), await knowledge.create("B")
    made = await knowledge.link(a, b)
    assert made["message"] == "Relationship created"
    assert str(made["relationship_id"]).startswith("rel-")
    assert len(str(made["relationship_id"])) == 16
    again = await knowledge.link(a, b)
    assert again["error"] == "validation_error"
    edge: dict[str, Json] = {"source_id": a, "target_id": b, "relationship_type": "PREREQUISITE"}
    removed = await knowledge.ask("delete_relationship", **edge)
    assert removed == {**made, "message": "Relationship deleted"}
    assert (await knowledge.ask("delete_relationship", **edge))["error"] == "relationship_not_found"
    assert (await knowledge.link(a, b))["relationship_id"] == made["relationship_id"]
    assert (await knowledge.ask("get_related_concepts", concept_id=a))["total"] == 1


async def test_relationships_need_two_different_live_ends_and_a_known_type(knowledge: Instance) -> None:
    a, b = await knowledge.create("A"), await knowledge.create("B")
    assert (await knowledge.link(a, a))["error"] == "validation_error"
    assert (await knowledge.link(a, NOBODY))["error"] == "concept_not_found"
    assert (await knowledge.link("nobody", b))["error"] == "concept_not_found"
    assert (await knowledge.link(a, b, "knows"))["error"] == "validation_error"
    assert (await knowledge.link(a, b, strength=1.01))["error"] == "validation_error"
    await knowledge.link(a, b)
    await knowledge.ask("delete_concept", concept_id=b)
    assert (await knowledge.link(a, b, "includes"))["error"] == "concept_not_found"
    edge = {"source_id": a, "target_id": b, "relationship_type": "prerequisite"}
    assert (await knowledge.ask("delete_relationship", **edge))["message"] == "Relationship deleted"
    assert (await knowledge.ask("delete_relationship", **edge))["error"] == "relationship_not_found"
