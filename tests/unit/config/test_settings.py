"""What settings accept."""

import pytest
from pydantic import JsonValue, SecretStr, ValidationError

from config.settings import ServerSettings, Settings, StoreNames, ToolsetTable


@pytest.mark.parametrize("host", ["example.com", "example.com:8080", "example.com:*", "[::1]", "[::1]:80", "my_host"])
def test_a_host_is_a_name_with_or_without_a_port(host: str) -> None:
    assert ServerSettings(allowed_hosts=(host,)).allowed_hosts == (host,)
    assert ServerSettings(allowed_origins=(f"https://{host}",)).allowed_origins == (f"https://{host}",)


@pytest.mark.parametrize("host", ["", "*", "https://example.com", "example.com/path", "example.com:port", "a b", "::1"])
def test_any_other_text_is_no_host(host: str) -> None:
    with pytest.raises(ValidationError, match="must be `name`"):
        ServerSettings(allowed_hosts=(host,))


@pytest.mark.parametrize("origin", ["", "example.com", "*", "https://", "https://example.com/path", "null"])
def test_an_origin_needs_a_scheme(origin: str) -> None:
    with pytest.raises(ValidationError, match="must be `scheme://name`"):
        ServerSettings(allowed_origins=(origin,))


@pytest.mark.parametrize("token", ["", " a", "a ", "a\n", "ä", "a\x00b"])
def test_a_token_can_be_sent_in_a_header(token: str) -> None:
    with pytest.raises(ValidationError, match="printable ASCII"):
        ServerSettings(token=SecretStr(token))


def test_a_token_is_not_shown() -> None:
    assert "s3cret" not in repr(ServerSettings(token=SecretStr("s3cret")))


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_is_a_number_of_two_bytes(port: int) -> None:
    with pytest.raises(ValidationError):
        ServerSettings(port=port)


def test_only_named_stores_are_stores_of_ports() -> None:
    assert StoreNames(graph="a", events="b").named_stores == {"graph": "a", "events": "b"}
    assert StoreNames().named_stores == {}


def test_a_toolset_keeps_the_settings_of_its_own_model() -> None:
    table = ToolsetTable.model_validate({"graph": "a", "enabled": False, "confidence": 0.5})
    assert (table.named_stores, table.enabled, table.own) == ({"graph": "a"}, False, {"confidence": 0.5})


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"stores": {"a": {}}}, "stores.a needs a `kind`"),
        ({"stores": {"a": {"kind": ["sqlite"]}}}, "stores.a.kind must be a text, not a table or a list"),
        ({"stores": {"main": {"kind": "sqlite"}}, "defaults": {"graph": "mian"}}, "did you mean main?"),
        ({"toolsets": {"memory": {"events": "a"}}}, 'toolsets.memory.events names the store "a"'),
        ({"stores": {"Main": {"kind": "sqlite"}}}, "stores"),
        ({"data_dir": ""}, "must not be empty"),
        ({"strange": 1}, "strange"),
    ],
)
def test_a_wrong_table_is_refused_with_the_place(table: dict[str, JsonValue], problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings.model_validate(table)
    assert problem in str(caught.value)
