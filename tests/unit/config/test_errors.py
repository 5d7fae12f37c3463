"""A wrong value names its place in the message, and carries the rule for those who phrase it."""

import pytest

from config.errors import ConfigError, WrongValue
from config.sources import load


def test_a_wrong_value_carries_its_place_and_the_broken_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_SERVER__PORT", "99999")
    with pytest.raises(ConfigError) as caught:
        load()
    assert isinstance(caught.value, WrongValue)
    assert str(caught.value) == "environment ENTREPOT_SERVER__PORT: server.port is wrong"
    assert caught.value.place == "environment ENTREPOT_SERVER__PORT: server.port"
    assert (caught.value.detail["type"], caught.value.detail.get("ctx")) == ("less_than_equal", {"le": 65_535})
