"""The tools that file and find entities."""

from tests.support.toolsets.agent_graph import Instance, part, rows


async def test_an_entity_of_a_name_and_type_is_made_once(kg: Instance) -> None:
    made = await kg.ask("kg_create_entity", name="Redis", type="technology", aliases=["KV"])
    again = await kg.ask("kg_create_entity", name="REDIS", type="technology", aliases=["kv", "store"])
    other = await kg.ask("kg_create_entity", name="Redis", type="project")
    assert [reply["message"] for reply in (made, again, other)] == [
        "Entity created",
        "Entity exists already",
        "Entity created",
    ]
    assert part(made, "entity")["id"] == part(again, "entity")["id"] != part(other, "entity")["id"]
    assert part(again, "entity")["aliases"] == ["KV", "store"]
    assert part(made, "entity")["source"] == "kg_create_entity"


async def test_an_entity_that_a_text_guessed_keeps_the_type_that_a_call_confirms(kg: Instance) -> None:
    guess = await kg.ask("kg_extract_from_text", text="Last week Nadia Petrova wrote about Hamcrest and left.")
    assert [row["confidence"] for row in rows(part(guess, "result"), "entities") if row["name"] == "Hamcrest"] == [0.5]
    entity = await kg.create("Hamcrest", "technology", confidence=1.0, description="A matcher library")
    await kg.ask("kg_extract_from_text", text="Hamcrest is a project.")
    kept = await kg.entity(entity)
    assert (kept["type"], kept["confidence"], kept["description"]) == ("technology", 1.0, "A matcher library")
    assert await kg.create("Hamcrest", "technology") == entity


async def test_an_entity_is_found_by_a_part_of_a_name_or_exactly_by_one(kg: Instance) -> None:
    await kg.create("Redis", aliases=["KV"])
    await kg.create("Redis Cluster")
    await kg.create("Credo", "project")
    find = "kg_find_entity"
    assert await kg.names(find, name="redis") == ["Redis", "Redis Cluster"]
    assert await kg.names(find, name="red") == ["Credo", "Redis", "Redis Cluster"]
    assert await kg.names(find, name="red", exact=True) == []
    assert await kg.names(find, name="kv", exact=True) == ["Redis"]


async def test_what_the_limit_cuts_is_counted(kg: Instance) -> None:
    for number in range(4):
        await kg.create(f"Service {number}")
    reply = await kg.ask("kg_find_entity", name="service", limit=3)
    assert (reply["count"], reply["totalFound"], reply["message"]) == (3, 4, "Found 4 entities")


async def test_a_read_is_counted_and_moves_an_entity_up(kg: Instance) -> None:
    read = await kg.create("Alpha")
    await kg.create("Zeta")
    assert await kg.names("kg_get_high_utility_entities") == ["Zeta", "Alpha"], "the later one first"
    assert (await kg.entity(read))["accessCount"] == 1
    assert (await kg.entity(read))["accessCount"] == 2
    assert await kg.names("kg_get_high_utility_entities") == ["Alpha", "Zeta"]
    assert await kg.names("kg_get_high_utility_entities", limit=1) == ["Alpha"]


async def test_an_unknown_id_is_not_found(kg: Instance) -> None:
    assert await kg.refused("kg_get_entity", entityId="ent_none") == "Entity not found"
