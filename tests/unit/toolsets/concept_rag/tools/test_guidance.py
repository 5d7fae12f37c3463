"""The guidance: which topics it has, and the names by which it calls the tools."""

import pytest

from tests.unit.toolsets.concept_rag.caller import Instance
from toolsets.spec import CallContext

TOOLS = 12


async def test_the_rules_are_the_default_topic(instance: Instance) -> None:
    rules = (await instance.reply("get_guidance")).text
    selection = (await instance.reply("get_guidance", topic="tool-selection")).text
    assert rules is not None
    assert selection is not None
    assert rules.startswith("# Rules")
    assert selection.startswith("# Which tool")
    assert (await instance.reply("get_guidance", topic="all")).text == f"{rules}\n{selection}"


async def test_every_tool_is_in_the_table_of_choice(instance: Instance) -> None:
    text = str((await instance.reply("get_guidance", topic="tool-selection")).text)
    assert len(instance.tools) == TOOLS
    assert [name for name in instance.tools if f"`{name}`" not in text] == []


async def test_tools_have_the_names_that_the_surface_serves(instance: Instance) -> None:
    context = CallContext("get_guidance", served_names={"concept_search": "concept_rag_concept_search"})
    reply = await instance.tools["get_guidance"].call({}, context)
    assert "`concept_rag_concept_search`" in str(reply.text)
    assert "`concept_search`" not in str(reply.text)


@pytest.mark.parametrize("topic", ["Rules", 5])
async def test_other_topics_are_refused(instance: Instance, topic: str | int) -> None:
    assert (await instance.error("get_guidance", topic=topic))["code"] == "VALIDATION_ERROR"
