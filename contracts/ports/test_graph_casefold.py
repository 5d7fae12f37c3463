"""Names in texts and in lists of any length are compared in full, by the same case folding on every engine."""

import pytest

from backends.ports.filters import And, Contains, Eq, Filter, Has, InIgnoringCase, Not
from backends.ports.graph import Graph, GraphBatch, KindSpec, Order
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import FieldSpec
from contracts.corpus import HOSTILE_TEXTS, LONG, TWINS
from contracts.ports.graph_records import KIND, THING, fill, node, remove_node
from contracts.promises import promise

FOLDED = (
    *TWINS,
    ("React", "rEACT"),
    ("STRASSE", "straße"),
    ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("ﬁligree", "FILIGREE"),
    ("İstanbul", "i\u0307stanbul"),
)
APART = (("resume", "résumé"), ("I", "ı"), ("a", " a"), ("a", "a\u00ad"), ("A", "Α"), ("", " "))
"""Accents, dots, blanks, soft hyphens and letters of other scripts are not differences of case."""


async def _found(graph: Graph, where: Filter) -> list[str]:
    items = (await graph.find(KIND, where, limit=1_000)).items
    assert sum(group.count for group in await graph.count_nodes(KIND, where=where)) == len(items)
    return [str(item.id) for item in items]


@promise("graph:search:whole", "graph:search:casing")
@pytest.mark.parametrize("field", ["name", "names"])
@pytest.mark.parametrize(("text", "value"), FOLDED)
async def test_a_name_is_found_whatever_its_case(graph: Graph, field: str, text: str, value: str) -> None:
    """A name is found in either form; neither a part of it nor a longer name matches."""

    def valued(text: str) -> str | tuple[str, ...]:
        return text if field == "name" else ("other", text)

    records = {"yes": text, "more": f"{text}s", "before": f"-{text}", "twice": text + text}
    await fill(graph, *(node(name, {field: valued(held)}) for name, held in records.items()), node("missing"))
    for asked in (text, value):
        assert await _found(graph, InIgnoringCase(field, (asked,))) == ["yes"]
        assert await _found(graph, InIgnoringCase(field, ("absent", asked, "nor this"))) == ["yes"]
        assert await _found(graph, Not(InIgnoringCase(field, (asked,)))) == ["before", "missing", "more", "twice"]
    assert await _found(graph, InIgnoringCase(field, ())) == []


@promise("graph:search:casing")
@pytest.mark.parametrize("field", ["name", "names"])
async def test_only_case_is_folded(graph: Graph, field: str) -> None:
    """Case and Unicode composition are folded, and nothing else."""
    for number, (text, other) in enumerate(APART):
        value = text if field == "name" else (text,)
        await fill(graph, node(f"n{number}", {field: value, "rank": number}))
        assert await _found(graph, And((Eq("rank", number), InIgnoringCase(field, (other,))))) == []
        assert await _found(graph, And((Eq("rank", number), InIgnoringCase(field, (text,))))) == [f"n{number}"]


@promise("graph:search:whole", "graph:search:lists")
async def test_every_hostile_name_is_found_in_its_list_only(graph: Graph) -> None:
    """No character is syntax and none ends an element, line ends, separators and wildcards included."""
    texts = [text for text in HOSTILE_TEXTS if len(text.encode()) <= 2_000]
    lists = {f"n{number:02}": (text, "x", f"{text}\nz") for number, text in enumerate(texts)}
    await fill(graph, *(node(name, names=names) for name, names in lists.items()))

    def holders(whole: str) -> list[str]:
        return [name for name, names in lists.items() if whole in map(shadow, names)]

    def containing(part: str) -> list[str]:
        return [name for name, names in lists.items() if any(part in shadow(each) for each in names)]

    for text in texts:
        for value in (text, f"{text}\nZ", f"{text}\n"):
            assert await _found(graph, InIgnoringCase("names", (value,))) == holders(shadow(value)), value
            assert await _found(graph, Contains("names", value)) == containing(shadow(value)), value


@promise("graph:search:lists")
@pytest.mark.parametrize("between", ["\n", "\x1f", ",", " ", '","', "\\n", ""])
async def test_no_needle_reaches_from_one_element_into_the_next(graph: Graph, between: str) -> None:
    """Elements stay separate, whatever an engine puts between them."""
    await fill(graph, node("two", names=("alpha", "beta")), node("one", names=(f"alpha{between}beta", "gamma")))
    assert await _found(graph, Contains("names", f"LPHA{between}bet")) == ["one"]
    assert await _found(graph, InIgnoringCase("names", (f"alpha{between}BETA",))) == ["one"]
    assert await _found(graph, InIgnoringCase("names", ("ALPHA", "GAMMA"))) == ["one", "two"]
    assert await _found(graph, Contains("names", "")) == ["one", "two"]
    assert await _found(graph, Has("names", "ALPHA")) == []


@promise("graph:search:many-elements")
async def test_each_of_many_elements_is_searched(graph: Graph) -> None:
    """All elements are compared, even if together they exceed the longest text that is searched."""
    names = tuple(f"{number:04} {'x' * 1_900} End" for number in range(60))
    assert sum(map(len, names)) > 3 * MAX_INDEXED_BYTES
    await fill(graph, node("many", names=names), node("few", names=names[:1]))
    for number in (0, 30, 59):
        expected = ["few", "many"] if number == 0 else ["many"]
        assert await _found(graph, InIgnoringCase("names", (names[number].upper(),))) == expected
        assert await _found(graph, Contains("names", f"{number:04} XX")) == expected


@promise("graph:search:whole")
async def test_a_text_over_32_kilobytes_is_equal_to_nothing(graph: Graph) -> None:
    """An element at the limit is still compared."""
    at_limit = "N" * MAX_INDEXED_BYTES
    await fill(graph, node("fits", body=at_limit), node("long", body=LONG))
    assert await _found(graph, InIgnoringCase("body", (at_limit.lower(),))) == ["fits"]
    assert await _found(graph, InIgnoringCase("body", (LONG,))) == []


@promise("graph:search:current")
async def test_a_search_sees_the_current_list(graph: Graph) -> None:
    """This holds for names that were changed, deleted, revived, or declared searchable after they were stored."""
    await graph.ensure([KindSpec(KIND, (FieldSpec("names", "strs"), FieldSpec("name", "str"))), KindSpec("other", ())])
    await graph.apply(GraphBatch((node("n", names=("Alpha", "Beta"), name="Gamma"), node("m", kind="other"))))
    await graph.ensure([THING])
    assert (await _found(graph, InIgnoringCase("names", ("beta",))), await _found(graph, Contains("names", "LPH"))) == (
        ["n"],
    ) * 2
    assert await _found(graph, InIgnoringCase("name", ("GAMMA",))) == ["n"]
    await graph.apply(
        GraphBatch((node("n", rev=2, names=("Beta", "BETA", "Delta")), node("m", rev=2, names=("beta",))))
    )
    assert await _found(graph, InIgnoringCase("names", ("alpha", "gamma"))) == []
    assert await _found(graph, InIgnoringCase("names", ("beta", "delta"))) == ["m", "n"]
    await remove_node(graph, "n", 3)
    assert await _found(graph, InIgnoringCase("names", ("beta", "delta"))) == ["m"]
    await graph.apply(GraphBatch((node("n", rev=4, names=("Delta",)), node("m", rev=3, kind="other"))))
    assert await _found(graph, InIgnoringCase("names", ("beta", "delta"))) == ["n"]
    await graph.drop()
    await fill(graph, node("n"))
    assert await _found(graph, InIgnoringCase("names", ("beta", "delta"))) == []


@promise("graph:search:whole")
async def test_a_frequent_name_is_listed_in_order_and_in_pages(graph: Graph) -> None:
    """There are more nodes than an engine would sort from a list."""
    count = 1_200
    await fill(
        graph, *(node(f"n{number:04}", names=("Same", f"own {number}"), rank=-number) for number in range(count))
    )
    where, order = InIgnoringCase("names", ("SAME",)), [Order("rank")]
    first = await graph.find(KIND, where, order=order, limit=1_000)
    rest = await graph.find(KIND, where, order=order, limit=1_000, after=first.after)
    expected = [f"n{number:04}" for number in reversed(range(count))]
    assert [item.id for item in (*first.items, *rest.items)] == expected
    assert await _found(graph, And((where, InIgnoringCase("names", ("OWN 7", "own 1100"))))) == ["n0007", "n1100"]
