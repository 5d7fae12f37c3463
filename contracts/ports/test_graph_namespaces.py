"""Meta values are stored with a graph, namespaces share nothing, and one can be dropped."""

import anyio
import pytest

from backends.ports.adapter import Engine
from backends.ports.capabilities import Capabilities
from backends.ports.errors import AlreadyOpen
from backends.ports.filters import Contains
from backends.ports.graph import Graph
from backends.ports.values import Namespace
from contracts.corpus import HOSTILE_TEXTS
from contracts.fixtures import EngineFactory, fresh_namespace
from contracts.ports.graph_records import KIND, edge, fill, ids, names_found, node
from contracts.promises import promise


@promise("graph:meta:keep")
async def test_a_meta_value_is_kept_until_it_is_replaced(graph: Graph) -> None:
    """Unknown keys are None; hostile values are returned unchanged."""
    assert await graph.get_meta("key") is None
    assert await graph.set_meta("key", "one") == "one"
    assert await graph.set_meta("key", "two") == "two"
    assert await graph.get_meta("key") == "two"
    for text in HOSTILE_TEXTS:
        assert await graph.set_meta("key", text) == text
        assert await graph.get_meta("key") == text


@promise("graph:meta:if-absent")
async def test_the_first_of_many_concurrent_meta_values_wins(graph: Graph) -> None:
    """Every writer learns the value that won."""
    answers: list[str] = []

    async def store(number: int) -> None:
        answers.append(await graph.set_meta("incarnation", f"value-{number}", if_absent=True))

    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(store, number)
    assert len(set(answers)) == 1
    assert await graph.get_meta("incarnation") == answers[0]
    assert await graph.set_meta("incarnation", "late", if_absent=True) == answers[0]


@promise("graph:meta:if-absent", "graph:apply:seen")
@pytest.mark.needs("graph")
async def test_two_handles_on_one_graph_agree_where_the_engine_admits_two(
    engine_factory: EngineFactory, capabilities: Capabilities, namespace: Namespace
) -> None:
    """One process sees the acknowledged meta values of the other, and the first writer wins for both."""
    one = await (await engine_factory.open()).graph(namespace)
    if capabilities.processes == "one":
        with pytest.raises(AlreadyOpen):
            await engine_factory.open()
        return
    two = await (await engine_factory.open()).graph(namespace)
    await fill(one, node("a", rank=1))
    assert set(await two.get_nodes(ids("a"))) == {"a"}
    await fill(two, node("a", rev=2, rank=2))
    assert await one.get_nodes(ids("a")) == {"a": node("a", rev=2, rank=2)}
    assert await one.set_meta("key", "one", if_absent=True) == "one"
    assert await two.set_meta("key", "two", if_absent=True) == "one"


@promise("graph:namespaces:apart", "graph:drop:everything")
async def test_namespaces_share_nothing_and_one_can_be_dropped(engine: Engine, graph: Graph) -> None:
    """The other namespace keeps its records, meta values and declarations."""
    name = fresh_namespace()
    other = await engine.graph(name)
    for store, text in ((graph, "mine"), (other, "other")):
        await fill(store, node("a", name=text), node("b", name=text), edge("a", "b"))
        await store.set_meta("key", text)
    await other.drop()
    await other.drop()
    assert (await graph.get_nodes(ids("a")))[ids("a")[0]].fields == {"name": "mine"}
    assert [item.id for item in (await graph.find(KIND, Contains("name", "min"))).items] == ["a", "b"]
    assert await graph.count_edges() == {"knows": 1}
    assert await graph.get_meta("key") == "mine"
    again = await engine.graph(name)
    assert await again.get_meta("key") is None
    await fill(again, node("c"))
    assert await names_found(again) == ["c"]
    assert await again.get_nodes(ids("a", "b")) == {}
    assert (await again.node_revisions(ids("a", "b")), await again.count_edges()) == ({}, {})
    await again.drop()


@promise("graph:namespaces:many")
@pytest.mark.needs("graph")
async def test_hundreds_of_namespaces_are_fine(engine_under_test: Engine) -> None:
    """A namespace is cheap."""
    names = [fresh_namespace() for _ in range(100)]
    for number, name in enumerate(names):
        await fill(await engine_under_test.graph(name), node("same", rank=number))
    for number, name in enumerate(names):
        store = await engine_under_test.graph(name)
        assert await store.get_nodes(ids("same")) == {"same": node("same", rank=number)}
        await store.drop()
