"""A field's properties: one to compare, one to sort and index by, one or two to search in."""

import pytest

from backends.engines.neo4j.filters import LONG_TEXT, sort_key
from backends.engines.neo4j.properties import MAX_SHADOW_BYTES, field_properties
from backends.ports.errors import InvalidInput
from contracts.ports.graph_records import THING

SPECS = {spec.name: spec for spec in THING.fields}


def test_a_field_has_the_properties_that_its_declaration_asks_for() -> None:
    fields = {"name": "Straße", "colour": "red", "rank": 1, "tags": ("a", "b")}
    assert field_properties(fields, SPECS, owner="a kind") == {
        "fields": '{"name":"Straße","colour":"red","rank":1,"tags":["a","b"]}',
        "f_name": "Straße",
        "s_name": sort_key("Straße"),
        "t_name": "strasse",
        "f_colour": "red",
        "f_rank": 1,
        "s_rank": 1,
        "f_tags": ["a", "b"],
    }


def test_a_text_too_long_for_the_index_is_marked_there() -> None:
    """The limit is that of its folded form."""
    fits, longer = "ß" * (MAX_SHADOW_BYTES // 2), "ß" * (MAX_SHADOW_BYTES // 2 + 1)
    assert field_properties({"body": fits}, SPECS, owner="a kind")["t_body"] == "ss" * (MAX_SHADOW_BYTES // 2)
    found = field_properties({"body": longer}, SPECS, owner="a kind")
    assert (found["t_body"], found["u_body"]) == (LONG_TEXT, "ss" * (MAX_SHADOW_BYTES // 2 + 1))


@pytest.mark.parametrize("fields", [{"shape": "round"}, {"rank": "one"}])
def test_fields_that_do_not_fit_the_declaration_are_refused(fields: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="a kind"):
        field_properties(fields, SPECS, owner="a kind")


def test_sort_keys_are_in_the_order_of_code_points() -> None:
    """The server compares texts by UTF-16 units, in which the last two of these change places."""
    texts = ["", "A", "a", "é", "日", "\uffff", "\U00010000"]
    keys = [str(sort_key(text)) for text in texts]
    assert sorted(keys, key=lambda key: key.encode("utf-16-be")) == keys
    assert sorted(texts, key=lambda text: text.encode("utf-16-be")) != texts
    assert (sort_key(1), sort_key("ascii")) == (1, "ascii")
