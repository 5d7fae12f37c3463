"""Which URIs a template makes, and what its variables are then."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import Refused
from gateway.uri_templates import MAX_URI, uri_template


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("x://a/{id}", "x://a/7", {"id": "7"}),
        ("x://a/{id}", "x://a/a%2Fb%20%C3%A4", {"id": "a/b ä"}),
        ("x://{one}/b/{two}", "x://1/b/2", {"one": "1", "two": "2"}),
        ("x://a/{id}", "x://a/ä:b", {"id": "ä:b"}),
        ("x://a/{id}", "x://a/", None),
        ("x://a/{id}", "x://a/7/8", None),
        ("x://a/{id}", "x://b/7", None),
        ("x://a/{id}", "x://a/7?b=c", None),
        ("x://a/{id}", "x://a/7#b", None),
        ("x://a/{id}", "x://a/{id}", None),
        ("x://a/{id}", "x://a/%ff", None),
        ("x://a/{id}", "x://a/%", None),
        ("x://a/{id}", "x://a/%00", None),
    ],
)
def test_each_variable_is_one_decoded_segment(template: str, uri: str, values: dict[str, str] | None) -> None:
    assert uri_template(template, "left").match(uri) == values


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=50))
def test_what_an_expansion_encodes_is_matched_as_it_was(value: str) -> None:
    uri = f"x://a/{quote(value, safe='')}"
    assert uri_template("x://a/{id}", "left").match(uri) == {"id": value}


def test_a_uri_beyond_the_limit_is_not_matched() -> None:
    template = uri_template("x://a/{id}", "left")
    assert template.match("x://a/" + "b" * (MAX_URI - 6)) is not None
    assert template.match("x://a/" + "b" * (MAX_URI - 5)) is None


@pytest.mark.parametrize(
    "text",
    [
        "x://a/b",
        "a/{id}",
        "x://a/b{id}",
        "x://a/{id}/{id}",
        "x://a/{+id}",
        "x://a{?id}",
        "x://a/{}",
        "x://a b/{id}",
        "{scheme}://a/{id}",
        "x://" + "a" * MAX_URI + "/{id}",
    ],
)
def test_a_template_of_another_level_is_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"of the toolset left cannot be served"):
        uri_template(text, "left")


def test_the_template_with_the_longer_literal_comes_first() -> None:
    texts = ["x://{a}/{b}", "x://{a}/b", "x://a/{b}"]
    ordered = sorted((uri_template(text, "left") for text in texts), key=lambda each: each.order)
    assert [each.text for each in ordered] == ["x://a/{b}", "x://{a}/b", "x://{a}/{b}"]
