"""Values are replaced and removed only where they are still what the caller has read."""

from backends.engines.neo4j.meta import Meta
from tests.engines.neo4j.conftest import Login


async def test_a_value_is_changed_unless_it_has_changed(login: Login) -> None:
    async with login() as connection:
        meta, other = Meta(connection, "values"), Meta(connection, "others")
        assert await meta.keep("key", "first") == "first"
        assert await meta.keep("key", "second") == "first"
        assert not await meta.change("key", "second", "third")
        assert await meta.change("key", "first", "third")
        assert (await meta.read("key"), await other.read("key")) == ("third", None)
        await meta.remove("key", "first")
        assert await meta.read("key") == "third"
        await meta.remove("key", "third")
        assert await meta.read("key") is None


async def test_values_of_callers_do_not_meet_those_of_the_adapter(login: Login) -> None:
    async with login() as connection:
        meta = Meta(connection, "values")
        await meta.keep("key", "the adapter's")
        assert await meta.set("key", "a caller's", if_absent=True) == "a caller's"
        assert await meta.set("key", "another", if_absent=True) == "a caller's"
        assert await meta.set("key", "another", if_absent=False) == "another"
        assert (await meta.get("key"), await meta.read("key")) == ("another", "the adapter's")
        await meta.remove("key", "the adapter's")
        await meta.remove("note/key", "another")
