"""Stores are opened by name, once, and again after a failure."""

from pathlib import Path

import pytest

from backends.ports.errors import InvalidInput, Unsupported
from backends.ports.ids import namespace
from backends.stores import OpenStores

TABLES = {"model": {"kind": "minilm"}, "broken": {"kind": "minilm", "directory": "/nowhere/at/all"}}


async def test_two_toolsets_share_one_engine(tmp_path: Path) -> None:
    stores = OpenStores(TABLES, tmp_path)
    one, other = stores.stores(embedder="model"), stores.stores(embedder="model")
    assert await one.embedder() is await other.embedder()
    await stores.close()


async def test_a_port_that_no_store_is_named_for_is_refused(tmp_path: Path) -> None:
    stores = OpenStores(TABLES, tmp_path).stores(embedder="model")
    with pytest.raises(InvalidInput, match="names no store for events"):
        await stores.events()


async def test_a_store_that_has_no_table_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"stores\.nowhere"):
        await OpenStores(TABLES, tmp_path).stores(embedder="nowhere").embedder()


async def test_an_engine_without_the_port_says_so(tmp_path: Path) -> None:
    stores = OpenStores(TABLES, tmp_path).stores(graph="model")
    with pytest.raises(Unsupported, match="graph"):
        await stores.graph(namespace("any"))


async def test_the_health_of_each_store_is_reported_and_none_raises(tmp_path: Path) -> None:
    health = await OpenStores(TABLES, tmp_path).health()
    assert health["model"].ok
    assert not health["broken"].ok
    assert "[stores.broken]" in health["broken"].detail


async def test_stores_that_were_verified_are_left_out(tmp_path: Path) -> None:
    stores = OpenStores(TABLES, tmp_path)
    assert {*await stores.verify()} == {"broken"}
    assert await stores.verify(but={"broken"}) == {}
    await stores.close()


async def test_opening_all_raises_what_waiting_does_not_change(tmp_path: Path) -> None:
    stores = OpenStores({"broken": {"kind": "minilm", "directory": "/nowhere/at/all"}}, tmp_path)
    for _ in range(2):
        with pytest.raises(InvalidInput, match=r"\[stores\.broken\]: option directory"):
            await stores.open_all()


async def test_an_unknown_adapter_is_refused_with_the_known_names(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"there are: .*minilm.*sqlite"):
        await OpenStores({"x": {"kind": "oracle"}}, tmp_path).open_all()


async def test_the_last_failure_of_each_closed_store_is_kept(tmp_path: Path) -> None:
    stores = OpenStores(TABLES, tmp_path)
    assert stores.failures() == {}
    await stores.health()
    assert {name: str(error)[:16] for name, error in stores.failures().items()} == {"broken": "[stores.broken]:"}
    await stores.close()
