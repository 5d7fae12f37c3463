"""Every effective value with its source."""

from pathlib import Path

from config.explain import Default, explain
from config.secrets import MASK
from config.sources import load


def test_secrets_are_masked_wherever_they_stand(folder: Path) -> None:
    (folder / "entrepot.toml").write_text(
        """
[server]
token = "s3cret"
[stores.remote]
kind = "neo4j"
password = "s3cret"
api_key = "s3cret"
keys_dir = "keys"
uri = "bolt://neo4j:s3cret@host:7687"
nested = { access_token = "s3cret", replicas = ["bolt://u:s3cret@a", "bolt://b"] }
""",
    )
    found = {each.key: (each.value, each.source) for each in explain(load())}
    assert "s3cret" not in repr(found)
    assert found["server.token"][0] == MASK
    assert found["stores.remote.uri"][0] == f"bolt://{MASK}@host:7687"
    assert found["stores.remote.keys_dir"][0] == "keys"
    assert found["stores.remote.nested.replicas"][0] == [f"bolt://{MASK}@a", "bolt://b"]


def test_defaults_of_engines_are_explained_where_no_source_has_their_key(folder: Path) -> None:
    (folder / "entrepot.toml").write_text("[stores.remote]\nkind = 'x'\nhost = 'here'\npin = '1234'\n")
    defaults = [
        Default(("stores", "remote", "host"), "there"),
        Default(("stores", "remote", "pool"), {"size": 4, "owner": None}),
    ]
    found = {each.key: (each.value, each.source) for each in explain(load(), defaults, {("stores", "remote", "pin")})}
    assert found["stores.remote.host"] == ("here", "entrepot.toml")
    assert found["stores.remote.pool.size"] == (4, "default")
    assert found["stores.remote.pin"] == (MASK, "entrepot.toml")
    assert found["stores.remote.pool.owner"] == (None, "not set")
    assert (found["server.token"], found["defaults.language"]) == ((None, "not set"),) * 2


def test_every_setting_is_explained_in_the_order_of_the_keys() -> None:
    keys = [each.key for each in explain(load())]
    assert keys == sorted(keys)
    assert {"profile", "data_dir", "server.port", "log.level", "stores.embedded.kind"} <= set(keys)


def test_a_secret_that_is_not_set_and_a_switch_are_not_masked() -> None:
    found = {each.key: each.value for each in explain(load(), [Default(("stores", "embedded", "token"), value=True)])}
    assert found["server.token"] is None
    assert found["stores.embedded.token"] is True
