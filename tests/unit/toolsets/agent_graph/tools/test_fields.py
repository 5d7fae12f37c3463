"""The arguments and reply fields that several tools share."""

import pytest
from pydantic import ValidationError

from backends.ports.values import Micros
from toolsets.agent_graph.entity import Entity
from toolsets.agent_graph.relationship import EdgeKey, Relationship
from toolsets.agent_graph.tools.fields import (
    CamelArguments,
    EntityName,
    InChannel,
    elapsed_ms,
    entity_body,
    relationship_body,
)

AT = Micros(1_761_575_025_123_456)
SHOWN = "2025-10-27T14:23:45.123Z"


class Named(CamelArguments):
    entity_name: EntityName


@pytest.mark.parametrize(
    ("sent", "name"),
    [(" Redis\n", "Redis"), ("\u2003Redis\u3000", "Redis"), ("\x1cRedis", "\x1cRedis"), ("a b", "a b")],
)
def test_a_name_loses_its_surrounding_blanks(sent: str, name: str) -> None:
    assert Named.model_validate({"entityName": sent}).entity_name == name


@pytest.mark.parametrize("sent", ["", " ", "\n\t"])
def test_a_blank_name_is_none(sent: str) -> None:
    with pytest.raises(ValidationError):
        Named.model_validate({"entityName": sent})


def test_a_channel_is_stripped_like_the_header_and_the_setting() -> None:
    assert InChannel.model_validate({"channelId": " team "}).channel_id == "team"
    assert InChannel.model_validate({}).channel_id is None


def test_an_entity_is_shown_with_its_first_source_and_without_an_absent_description() -> None:
    entity = Entity(
        "ent_1", "c", "Redis", "technology", ("KV",), None, 0.5, 0.123456, 3, AT, ("t1", "t2"), (), AT, AT, 1
    )
    body = entity_body(entity).model_dump(mode="json", by_alias=True)
    assert body == {
        "id": "ent_1",
        "channelId": "c",
        "name": "Redis",
        "type": "technology",
        "aliases": ["KV"],
        "confidence": 0.5,
        "qValue": 0.1235,
        "accessCount": 3,
        "lastAccessed": SHOWN,
        "source": "t1",
        "createdAt": SHOWN,
        "updatedAt": SHOWN,
    }


@pytest.mark.parametrize("label", [None, "as a cache"])
def test_a_relationship_is_shown_with_its_label_if_it_has_one(label: str | None) -> None:
    key = EdgeKey("ent_1", "ent_2", "USES")
    body = relationship_body(Relationship(key, "c", label, 0.5, ("t1", "t2"), AT, AT, 1)).model_dump(by_alias=True)
    assert (body["id"], body["fromEntityId"], body["toEntityId"]) == (key.id, "ent_1", "ent_2")
    assert (body["type"], body["source"], body["createdAt"]) == ("USES", "t1", SHOWN)
    assert body.get("label") == label
    assert ("label" in body) == (label is not None)


def test_time_is_counted_in_milliseconds() -> None:
    assert elapsed_ms(Micros(1_000), lambda: Micros(3_500)) == 2.5
