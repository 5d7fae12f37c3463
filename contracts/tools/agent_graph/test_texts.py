"""Texts of every kind are stored unchanged and found again."""

import pytest

from backends.ports.text import shadow
from contracts.corpus import HOSTILE_TEXTS, TWINS
from contracts.promises import promise
from contracts.tools.agent_graph.client import AgentGraphClient

STORABLE = [text for text in HOSTILE_TEXTS if text.strip() and len(text) <= 400]


@promise("agent_graph:texts:unchanged", "agent_graph:texts:found")
async def test_hostile_texts_come_back_unchanged_and_are_found(client: AgentGraphClient) -> None:
    """They occur as name, alias, description, label and source; a search finds only what contains it."""
    hub = await client.make("hub")
    ids: dict[str, str] = {}
    for number, text in enumerate(STORABLE):
        made = await client.entity(text, aliases=[f"alias {number} {text}"], description=text)
        if made.id in ids:
            continue  # the other Unicode form of a name that is there
        ids[made.id] = text
        edge = await client.link(hub, made.id, label=text)
        assert edge.label == text
    for entity_id, text in ids.items():
        got = await client.read(entity_id)
        assert (got.name, got.description) == (text.strip(" "), text)
        assert text.strip(" ") in got.aliases[0]
        found = await client.find(text, limit=50)
        assert {entity.id for entity in found.entities} == {
            other for other, name in ids.items() if shadow(text.strip(" ")) in shadow(name)
        }
        assert entity_id in {entity.id for entity in (await client.find(text, exact=True)).entities}
        context = (await client.context(keywords=[text])).context
        assert entity_id in {entity.id for entity in context.entities}


@promise("agent_graph:texts:unchanged")
async def test_a_hostile_channel_is_a_channel_like_any_other(client: AgentGraphClient) -> None:
    """It holds only what was stored there; blanks around its name are ignored."""
    for text in STORABLE:
        there = AgentGraphClient(client.connection, f"{client.channel} {text}")
        made = await there.entity("here")
        assert made.channel_id == there.channel.strip()
        assert [entity.id for entity in (await there.find("here")).entities] == [made.id]


@promise("agent_graph:texts:extracted")
async def test_a_hostile_text_can_be_read(client: AgentGraphClient) -> None:
    """Its statements are stored completely or not at all."""
    for text in STORABLE:
        reply = await client.extract(f"{text} uses Python. {text}", sourceId=text)
        for entity in reply.result.entities:
            assert (await client.read(entity.id)).name == entity.name


@promise("agent_graph:texts:twins")
@pytest.mark.parametrize(("nfc", "nfd"), TWINS)
async def test_two_forms_of_one_name_are_one_name(client: AgentGraphClient, nfc: str, nfd: str) -> None:
    """The name is stored as it was first given, and found in either form."""
    first, second = await client.entity(nfc), await client.entity(nfd)
    assert (second.id, second.name) == (first.id, nfc)
    for needle in (nfc, nfd, nfc.upper()):
        assert [entity.id for entity in (await client.find(needle)).entities] == [first.id]


@promise("agent_graph:texts:found", "agent_graph:find:exact")
async def test_control_characters_in_names_do_not_mislead_the_search_for_whole_names(client: AgentGraphClient) -> None:
    """Separators of fields and records in other systems are ordinary characters here."""
    whole = await client.make("Inner")
    for name in ("Sep\x1fInner", "Inner\x1fSep", "Sep\x1eInner", "\x1d\x1fInner\x1c", "\x1c\x1d\x1e\x1f Inner"):
        made = await client.entity(name, aliases=[f"{name} too"])
        assert made.name == name
        assert [entity.id for entity in (await client.find(name, exact=True)).entities] == [made.id]
        assert made.id in {entity.id for entity in (await client.find(name)).entities}
    assert [entity.id for entity in (await client.find("Inner", exact=True)).entities] == [whole]
    assert (await client.find("p\x1fI")).total_found == 1


@promise("agent_graph:find:exact", "agent_graph:find:parts", "agent_graph:find:total")
async def test_each_of_a_hundred_long_aliases_is_found(client: AgentGraphClient) -> None:
    """This holds whatever the size of all names together."""
    aliases = [f"alias {number} {'ü' * 480}" for number in range(100)]
    made = await client.make("Docker", aliases=aliases)
    other = await client.make("alias 99")
    for name in ("Docker", aliases[0], aliases[99]):
        found = await client.find(name, exact=True)
        assert ([entity.id for entity in found.entities], found.total_found) == ([made], 1)
    found = await client.find("alias 99")
    assert ([entity.id for entity in found.entities], found.total_found) == ([other, made], 2)
    context = (await client.context(keywords=["alias 98"])).context
    assert [entity.id for entity in context.entities] == [made]


@promise("agent_graph:context:keywords")
async def test_a_description_beyond_what_an_index_takes_is_found_by_its_beginning(client: AgentGraphClient) -> None:
    """The description is returned in full."""
    text = f"Keywordish beginning. {'x' * 36_000} end"
    made = await client.make("described", description=text)
    assert (await client.read(made)).description == text
    context = (await client.context(keywords=["keywordish"])).context
    assert [entity.description for entity in context.entities] == [text]
