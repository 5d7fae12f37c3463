"""Each toolset as the tests of a profile see it: a fact is written, found again, and all that there is can be pictured."""

import itertools
from typing import Protocol

from backends.ports.values import JsonObject
from tests.support import agent_graph, knowledge, memory, skills
from tests.support.knowledge import ask
from tests.support.raw import Caller

DATABASE = "memory"
MANY = 20


class Family(Protocol):
    """A toolset: how facts, which belong to groups, are written and read."""

    toolset: str

    async def write(self, caller: Caller, group: str, name: str) -> JsonObject:
        """Write one fact; return the reply, whatever it says."""
        ...

    def stands(self, reply: JsonObject) -> bool:
        """Say whether a reply to a write says that the fact is there."""
        ...

    async def listed(self, caller: Caller, group: str) -> list[str]:
        """Return the names of a group, up to 50."""
        ...

    async def nearest(self, caller: Caller, group: str, name: str) -> list[str]:
        """Return the names that the toolset's best search for a fact finds; none while it cannot search."""
        ...

    async def populate(self, caller: Caller) -> list[str]:
        """Write facts and edges and delete or merge some; return ids of what is left, in the order written."""
        ...

    async def picture(self, caller: Caller, ids: list[str]) -> JsonObject:
        """Return what the stores hold, as the tools see it, without changing anything."""
        ...


class KnowledgeFamily:
    """Concepts; a group is an area."""

    toolset = "knowledge"

    async def write(self, caller: Caller, group: str, name: str) -> JsonObject:
        return await knowledge.create(caller, name, area=group)

    def stands(self, reply: JsonObject) -> bool:
        return bool(reply["success"]) or reply["error"] == "validation_error"

    async def listed(self, caller: Caller, group: str) -> list[str]:
        return await knowledge.names_in(caller, group)

    async def nearest(self, caller: Caller, group: str, name: str) -> list[str]:
        hits = await ask(caller, "search_concepts_semantic", {"query": f"All about {name}.", "area": group})
        return [str(row["name"]) for row in knowledge.rows(hits)] if hits["success"] else []

    async def populate(self, caller: Caller) -> list[str]:
        made = [await knowledge.create(caller, f"concept {n}", area=f"area {n % 3}") for n in range(MANY)]
        ids = [str(each["concept_id"]) for each in made]
        for source, target in itertools.pairwise(ids):
            edge = {"source_id": source, "target_id": target, "relationship_type": "prerequisite"}
            assert (await ask(caller, "create_relationship", edge))["success"]
        await ask(caller, "delete_concept", {"concept_id": ids.pop(7)})
        return ids

    async def picture(self, caller: Caller, ids: list[str]) -> JsonObject:
        learn = {"concept_id": ids[6], "depth": 5}
        return {
            "listed": [await knowledge.names_in(caller, f"area {n}") for n in range(3)],
            "prerequisites": (await ask(caller, "get_prerequisites", learn))["prerequisites"],
            "hits": (await ask(caller, "search_concepts_semantic", {"query": "concept 3", "limit": 5}))["results"],
            "hierarchy": (await ask(caller, "list_hierarchy"))["areas"],
        }


class MemoryFamily:
    """Entities of the primary database; a group is a part of their names."""

    toolset = "memory"

    async def write(self, caller: Caller, group: str, name: str) -> JsonObject:
        return await memory.store(caller, DATABASE, f"{group} {name}", f"All about {name}.")

    def stands(self, reply: JsonObject) -> bool:
        return reply["status"] in ("created", "exists")

    async def listed(self, caller: Caller, group: str) -> list[str]:
        found = await memory.names(caller, DATABASE, f"{group} ")
        return [name.removeprefix(f"{group} ") for name in found]

    async def nearest(self, caller: Caller, group: str, name: str) -> list[str]:
        about = f"{group} {name} thing All about {name}."
        found = await ask(caller, "semantic_search", {"database": DATABASE, "query": about, "threshold": 0.0})
        rows = knowledge.rows(found, "entities") if "entities" in found else ()
        return [str(row["name"]).removeprefix(f"{group} ") for row in rows]

    async def populate(self, caller: Caller) -> list[str]:
        names = [f"entity {n}" for n in range(MANY)]
        for name in names:
            assert (await memory.store(caller, DATABASE, name, f"All about {name}."))["status"] == "created"
        for source, target in itertools.pairwise(names):
            assert (await memory.link(caller, DATABASE, source, target))["status"] == "created"
        more = {"database": DATABASE, "entity_name": names[3], "observations": ["It was added later."]}
        assert (await ask(caller, "add_observations", more))["status"] == "updated"
        return names

    async def picture(self, caller: Caller, ids: list[str]) -> JsonObject:
        around = {"database": DATABASE, "entity_name": ids[0], "max_depth": 3}
        near = {"database": DATABASE, "query": "entity 3 was added later", "threshold": 0.0}
        return {
            "found": (await ask(caller, "search_entities", {"database": DATABASE, "query": "ENTITY"}))["entities"],
            "related": (await ask(caller, "get_related_entities", around))["entities"],
            "hits": (await ask(caller, "semantic_search", near))["entities"],
            "totals": str(await memory.totals(caller)),
        }


class AgentGraphFamily:
    """Entities of the default channel; a group is a part of their names."""

    toolset = "agent_graph"

    async def write(self, caller: Caller, group: str, name: str) -> JsonObject:
        return await ask(caller, "kg_create_entity", {"name": f"{group} {name}", "type": "technology"})

    def stands(self, reply: JsonObject) -> bool:
        return bool(reply["success"])

    async def listed(self, caller: Caller, group: str) -> list[str]:
        return [name.removeprefix(f"{group} ") for name in await agent_graph.found(caller, f"{group} ")]

    async def nearest(self, caller: Caller, group: str, name: str) -> list[str]:
        found = await agent_graph.found(caller, f"{group} {name}", exact=True)
        return [each.removeprefix(f"{group} ") for each in found]

    async def populate(self, caller: Caller) -> list[str]:
        ids = [await agent_graph.create(caller, f"entity {n}", description=f"The entity {n}.") for n in range(MANY)]
        for source, target in itertools.pairwise(ids):
            await agent_graph.link(caller, source, target, "DEPENDS_ON")
        merged = ids.pop(7)
        await agent_graph.succeeded(caller, "kg_merge_entities", targetEntityId=ids[2], sourceEntityIds=[merged])
        return ids

    async def picture(self, caller: Caller, ids: list[str]) -> JsonObject:
        path: dict[str, object] = {"fromEntityId": ids[0], "toEntityId": ids[-1], "maxHops": 10}
        return {
            "best": (await ask(caller, "kg_get_high_utility_entities", {"limit": 50}))["entities"],
            "neighbours": [await agent_graph.succeeded(caller, "kg_get_neighbors", entityId=each) for each in ids[:4]],
            "path": await agent_graph.succeeded(caller, "kg_find_path", **path),
            "found": (await ask(caller, "kg_find_entity", {"name": "ENTITY", "limit": 50}))["entities"],
        }


class SkillsFamily:
    """Skills; a group is a word of their resolutions."""

    toolset = "skills"

    async def write(self, caller: Caller, group: str, name: str) -> JsonObject:
        return await skills.create(caller, group, name)

    def stands(self, reply: JsonObject) -> bool:
        return "skill_id" in reply

    async def listed(self, caller: Caller, group: str) -> list[str]:
        return await skills.named(caller, f"look {group.replace(' ', '_')}", group)

    async def nearest(self, caller: Caller, group: str, name: str) -> list[str]:
        return await skills.named(caller, skills.talk(group, name).split("\n")[0], group, top_k=5)

    async def populate(self, caller: Caller) -> list[str]:
        ids = [await skills.learned(caller, "many", f"matter {n}") for n in range(MANY)]
        for n, skill_id in enumerate(ids[:5]):
            more = {"skill_id": skill_id, "conversation": skills.talk("more", f"matter {n}"), "feedback": "It helped."}
            assert (await ask(caller, "update_skill", more))["version"] == 2
        assert (await skills.create(caller, "many", "matter 7"))["created"] is False
        return ids

    async def picture(self, caller: Caller, ids: list[str]) -> JsonObject:
        return {
            "listed": sorted(await self.listed(caller, "many")),
            "hits": await skills.titles(caller, "The printer in the office leaks water"),
            "refined": await skills.titles(caller, "look more"),
        }


FAMILIES: tuple[Family, ...] = (KnowledgeFamily(), MemoryFamily(), AgentGraphFamily(), SkillsFamily())
