"""Clients of running servers, and of servers that are started for a call."""

import pytest

from gateway.client import ServerEnded, own_server


async def test_a_server_of_its_own_is_asked_over_stdio_and_stopped(tmp_path_factory: pytest.TempPathFactory) -> None:
    words = ["--data-dir", str(tmp_path_factory.mktemp("data"))]
    async with own_server(words, quiet=True) as client:
        assert "create_skill" in {tool.name for tool in (await client.list_tools()).tools}


async def test_a_server_that_ends_by_itself_has_said_why(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENTREPOT_PROFILE", "nothing")
    with pytest.raises(ServerEnded):
        async with own_server([], quiet=True):
            pass
    assert "entrepot: There is no profile 'nothing'" in capfd.readouterr().err
