"""Texts of every kind are stored unchanged and found again."""

import pytest

from backends.ports.text import shadow
from contracts.corpus import HOSTILE_TEXTS, TWINS
from contracts.promises import promise
from contracts.tools.agent_graph.desk import Desk

STORABLE = [text for text in HOSTILE_TEXTS if text.strip() and len(text) <= 400]


@promise("agent_graph:texts:unchanged", "agent_graph:texts:found")
async def test_hostile_texts_come_back_unchanged_and_are_found(desk: Desk) -> None:
    """As name, alias, description, label and source; a search for one finds what contains it, and no more."""
    hub = await desk.make("hub")
    ids: dict[str, str] = {}
    for number, text in enumerate(STORABLE):
        made = await desk.entity(text, aliases=[f"alias {number} {text}"], description=text)
        if made.id in ids:
            continue  # the other Unicode form of a name that is there
        ids[made.id] = text
        edge = await desk.link(hub, made.id, label=text)
        assert edge.label == text
    for entity_id, text in ids.items():
        got = await desk.read(entity_id)
        assert (got.name, got.description) == (text, text)
        assert text in got.aliases[0]
        found = await desk.find(text, limit=50)
        assert {entity.id for entity in found.entities} == {
            other for other, name in ids.items() if shadow(text) in shadow(name)
        }
        assert entity_id in {entity.id for entity in (await desk.find(text, exact=True)).entities}
        context = (await desk.context(keywords=[text])).context
        assert entity_id in {entity.id for entity in context.entities}


@promise("agent_graph:texts:unchanged")
async def test_a_hostile_channel_is_a_channel_like_any_other(desk: Desk) -> None:
    """It holds what was filed there and nothing else; only blanks around it do not count."""
    for text in STORABLE:
        there = Desk(desk.door, f"{desk.channel} {text}")
        made = await there.entity("here")
        assert made.channel_id == there.channel.strip()
        assert [entity.id for entity in (await there.find("here")).entities] == [made.id]


@promise("agent_graph:texts:extracted")
async def test_a_hostile_text_can_be_read(desk: Desk) -> None:
    """Whatever it is taken to say is stored whole or not at all."""
    for text in STORABLE:
        reply = await desk.extract(f"{text} uses Python. {text}", sourceId=text)
        for entity in reply.result.entities:
            assert (await desk.read(entity.id)).name == entity.name


@promise("agent_graph:texts:twins")
@pytest.mark.parametrize(("nfc", "nfd"), TWINS)
async def test_two_forms_of_one_name_are_one_name(desk: Desk, nfc: str, nfd: str) -> None:
    """Kept as it was given first, and found in either form."""
    first, second = await desk.entity(nfc), await desk.entity(nfd)
    assert (second.id, second.name) == (first.id, nfc)
    for needle in (nfc, nfd, nfc.upper()):
        assert [entity.id for entity in (await desk.find(needle)).entities] == [first.id]


@promise("agent_graph:texts:found", "agent_graph:find:exact")
async def test_control_characters_in_names_do_not_mislead_the_search_for_whole_names(desk: Desk) -> None:
    """Those that separate fields and records in other systems are letters like any other here."""
    whole = await desk.make("Inner")
    for name in ("Sep\x1fInner", "Inner\x1fSep", "Sep\x1eInner", "\x1d\x1fInner\x1c", "\x1c\x1d\x1e\x1f Inner"):
        made = await desk.entity(name, aliases=[f"{name} too"])
        assert made.name == name
        assert [entity.id for entity in (await desk.find(name, exact=True)).entities] == [made.id]
        assert made.id in {entity.id for entity in (await desk.find(name)).entities}
    assert [entity.id for entity in (await desk.find("Inner", exact=True)).entities] == [whole]
    assert (await desk.find("p\x1fI")).total_found == 1


@promise("agent_graph:find:exact", "agent_graph:find:parts", "agent_graph:find:total")
async def test_each_of_a_hundred_long_aliases_is_found(desk: Desk) -> None:
    """Whatever all names of an entity come to together."""
    aliases = [f"alias {number} {'ü' * 480}" for number in range(100)]
    made = await desk.make("Docker", aliases=aliases)
    other = await desk.make("alias 99")
    for name in ("Docker", aliases[0], aliases[99]):
        found = await desk.find(name, exact=True)
        assert ([entity.id for entity in found.entities], found.total_found) == ([made], 1)
    found = await desk.find("alias 99")
    assert ([entity.id for entity in found.entities], found.total_found) == ([other, made], 2)
    context = (await desk.context(keywords=["alias 98"])).context
    assert [entity.id for entity in context.entities] == [made]


@promise("agent_graph:context:keywords")
async def test_a_description_beyond_what_an_index_takes_is_found_by_its_beginning(desk: Desk) -> None:
    """And comes back whole."""
    text = f"Keywordish beginning. {'x' * 36_000} end"
    made = await desk.make("described", description=text)
    assert (await desk.read(made)).description == text
    context = (await desk.context(keywords=["keywordish"])).context
    assert [entity.description for entity in context.entities] == [text]
