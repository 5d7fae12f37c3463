"""A text search in a graph finds plain substrings of the folded text, whatever characters they contain."""

import pytest

from backends.ports.filters import And, Contains, Eq, Has, In, Ne, Not
from backends.ports.graph import Graph, GraphBatch
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from contracts.corpus import HOSTILE_TEXTS, LONG, TWINS
from contracts.ports.graph_records import KIND, fill, node, remove_node
from contracts.promises import promise


async def _found(graph: Graph, needle: str, field: str = "name") -> list[str]:
    return [str(item.id) for item in (await graph.find(KIND, Contains(field, needle), limit=1_000)).items]


@promise("graph:search:substring")
@pytest.mark.parametrize("needle", ["loop", "LOOP", "for loop", "r L", "Python For Loops", "ython f"])
async def test_a_substring_is_found_whatever_its_case(graph: Graph, needle: str) -> None:
    """The substring may begin and end anywhere, within words and between them."""
    await fill(graph, node("yes", name="Python For Loops"), node("no", name="For Python, no such thing"), node("none"))
    assert await _found(graph, needle) == ["yes"]


@promise("graph:search:short")
@pytest.mark.parametrize("needle", ["x", "xy", "é", "日", "本語", "😀", "-", "%", "_", "'", '"', "*", "\\", "\n"])
async def test_a_needle_of_one_or_two_characters_is_found(graph: Graph, needle: str) -> None:
    """An index of trigrams is no reason to miss short needles."""
    await fill(graph, node("yes", name=f"before{needle}after"), node("no", name="before after"), node("none"))
    assert await _found(graph, needle) == ["yes"]


@promise("graph:search:empty")
async def test_an_empty_needle_matches_any_text(graph: Graph) -> None:
    """An empty text matches the empty needle, a missing one does not."""
    await fill(graph, node("text", name="x"), node("blank", name=""), node("missing"))
    assert await _found(graph, "") == ["blank", "text"]


@promise("graph:search:shadow")
@pytest.mark.parametrize(
    ("text", "needle"),
    [
        *TWINS,
        *((nfd, nfc) for nfc, nfd in TWINS),
        ("STRASSE", "straße"),
        ("Straße", "STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("ﬁligree", "filigree"),
        ("İstanbul", "i\u0307stanbul"),
    ],
)
async def test_texts_are_compared_by_their_shadow(graph: Graph, text: str, needle: str) -> None:
    """Composed and decomposed forms are equal, and so are letters with equal foldings."""
    await fill(graph, node("yes", name=f"({text})"), node("no", name="something else"))
    assert await _found(graph, needle) == ["yes"]


@promise("graph:search:hostile")
async def test_every_hostile_text_finds_itself_and_nothing_more(graph: Graph) -> None:
    """A needle has no syntax."""
    await fill(graph, *(node(f"n{number:02}", name=text, body=text) for number, text in enumerate(HOSTILE_TEXTS)))
    for text in HOSTILE_TEXTS:
        expected = [f"n{number:02}" for number, other in enumerate(HOSTILE_TEXTS) if shadow(text) in shadow(other)]
        assert await _found(graph, text) == expected
        assert await _found(graph, text, "body") == expected
        half = text[: max(3, len(text) // 2)]
        expected = [f"n{number:02}" for number, other in enumerate(HOSTILE_TEXTS) if shadow(half) in shadow(other)]
        assert await _found(graph, half) == expected


@promise("graph:search:hostile", "graph:find:equality")
async def test_every_hostile_text_is_equal_to_itself_only(graph: Graph) -> None:
    """Equality compares code points: neither case nor normal form is folded."""
    await fill(
        graph,
        *(node(f"n{number:02}", name=text, colour=text, tags=(text, "x")) for number, text in enumerate(HOSTILE_TEXTS)),
    )
    for number, text in enumerate(HOSTILE_TEXTS):
        for where in (Eq("name", text), Eq("colour", text), In("name", (text, "absent")), Has("tags", text)):
            assert [item.id for item in (await graph.find(KIND, where)).items] == [f"n{number:02}"]
        assert len((await graph.find(KIND, Ne("colour", text))).items) == len(HOSTILE_TEXTS) - 1


@promise("graph:search:current")
async def test_a_search_sees_the_current_text(graph: Graph) -> None:
    """Replaced, deleted and revived texts leave nothing behind in an index."""
    await fill(graph, node("n", name="alpha beta", body="gamma"))
    await graph.apply(GraphBatch((node("n", rev=2, name="delta"),)))
    assert (await _found(graph, "alpha"), await _found(graph, "delta")) == ([], ["n"])
    assert await _found(graph, "gamma", "body") == []
    await remove_node(graph, "n", 3)
    assert await _found(graph, "delta") == []
    await graph.apply(GraphBatch((node("n", rev=4, name="alpha"),)))
    assert (await _found(graph, "alpha"), await _found(graph, "delta")) == (["n"], [])


@promise("graph:search:fields")
async def test_a_search_is_limited_to_the_field_it_names(graph: Graph) -> None:
    """A text search combines with other conditions."""
    await fill(graph, node("one", name="apple", body="pear"), node("two", name="pear", body="apple", rank=2))
    assert await _found(graph, "apple", "body") == ["two"]
    both = And((Contains("name", "pear"), Contains("body", "appl"), Eq("rank", 2)))
    assert [item.id for item in (await graph.find(KIND, both)).items] == ["two"]
    neither = And((Not(Contains("name", "apple")), Not(Contains("body", "pear"))))
    assert [item.id for item in (await graph.find(KIND, neither)).items] == ["two"]
    [group] = await graph.count_nodes(KIND, where=Contains("name", "pear"))
    assert group.count == 1


@promise("graph:search:long")
async def test_a_text_over_32_kilobytes_is_kept_but_not_searched(graph: Graph) -> None:
    """A needle at the limit is still found."""
    at_limit = ("needle " + "x" * MAX_INDEXED_BYTES)[:MAX_INDEXED_BYTES]
    await fill(graph, node("fits", body=at_limit), node("long", body="needle " + LONG))
    assert await _found(graph, "needle", "body") == ["fits"]
    negated = await graph.find(KIND, Not(Contains("body", "needle")))
    assert [item.id for item in negated.items] == ["long"]
