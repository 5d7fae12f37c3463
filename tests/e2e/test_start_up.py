"""What the server refuses to start with, and how it says so."""

import json
from collections.abc import Callable

import pytest

from tests.e2e.probe import DEMO, Ended, Home, call, http_server, legacy_opening, lines

TWO = DEMO + "\n[toolsets.rival]\n"


def refused(home: Home, *words: str, **more: str) -> str:
    """Run a server that must not start; return its one sentence."""
    process = home.run("serve", *words, **more)
    assert (process.returncode, process.stdout) == (1, "")
    assert "Traceback" not in process.stderr
    (sentence,) = process.stderr.splitlines()
    assert sentence.startswith("entrepot: ")
    return sentence


def test_a_store_that_must_not_be_used_is_named(home: Home) -> None:
    home.configure(DEMO + 'state = "damaged"\n')
    assert "The shelf is damaged; restore it from a backup." in refused(home)


def test_a_store_that_its_toolset_cannot_use_stops_the_start_but_not_a_rebuild(home: Home) -> None:
    home.configure(DEMO + 'model = "another"\n')
    assert "The shelf holds another model; run entrepot rebuild." in refused(home)
    assert home.run("rebuild").returncode == 0


def test_a_data_directory_that_is_none_is_named(home: Home) -> None:
    file = home.folder / "file"
    file.touch()
    assert f"The data directory {file / 'data'} cannot be used" in refused(home, "--data-dir", str(file / "data"))


def test_wrong_settings_of_the_gateway_and_of_a_toolset_are_named(home: Home) -> None:
    assert "toolsets.demo.greting is not a setting" in refused(home, ENTREPOT_TOOLSETS__DEMO__GRETING="x")
    home.configure(DEMO.replace("embedder", "graph"))
    assert "[toolsets.demo] must name a store for: embedder." in refused(home)


def test_a_bind_beyond_loopback_without_a_token_is_refused(home: Home) -> None:
    assert "needs server.token" in refused(home, "--transport", "http", "--host", "0.0.0.0")  # noqa: S104 it is refused


def test_a_toolset_that_nobody_installed_or_enabled_is_named(home: Home) -> None:
    assert "No toolset called knowledge is enabled" in refused(home, "--toolsets", "demo,knowledge")
    home.configure(DEMO + "\n[toolsets.nothing]\n")
    assert "The toolset nothing is configured but not installed" in refused(home)


def test_an_adapter_that_nobody_installed_is_named(home: Home) -> None:
    home.configure(DEMO.replace('kind = "shelf"', 'kind = "nothing"'))
    assert "no adapter is called 'nothing'" in refused(home)


def test_two_toolsets_that_claim_a_name_carry_prefixes_on_the_unified_surface_only(
    home: Home, entrepot: Callable[..., Ended]
) -> None:
    home.configure(TWO)
    listed = json.loads(entrepot("tools", "--json").stdout)["tools"]
    names = {tool["name"] for tool in listed}
    assert {"demo_echo", "rival_echo", "names"} <= names
    assert "echo" not in names
    with http_server(home) as (url, _):
        rival = entrepot("call", "--url", f"{url}/mcp/rival", "echo", "--json")
        assert json.loads(rival.stdout)["message"] == "rival"
        demo = entrepot("call", "--url", url, "demo_echo", "--json")
        assert json.loads(demo.stdout)["caller"]["tool"] == "echo"
        assert f"{url}/mcp/rival" in home.said()


def test_only_the_toolsets_asked_for_are_served(home: Home) -> None:
    home.configure(TWO)
    found = home.run("serve", "--toolsets", "rival", stdin=lines([*legacy_opening(), call(1, "echo")]))
    assert '"message":"rival"' in found.stdout


@pytest.mark.parametrize("style", ["text", "json"])
def test_logs_go_to_stderr_without_arguments(home: Home, style: str) -> None:
    session = lines([*legacy_opening(), call(1, "echo", {"text": "s3cret"})])
    found = home.run("serve", stdin=session, ENTREPOT_LOG__FORMAT=style)
    (line,) = found.stderr.splitlines()
    assert "echo ok in" in line
    assert "s3cret" not in line
    if style == "json":
        assert json.loads(line)["outcome"] == "ok"


def test_garbage_is_collected_once_the_server_answers(home: Home, entrepot: Callable[..., Ended]) -> None:
    on_stdio = home.run("serve", stdin=lines([*legacy_opening(), call(1, "tidy")])).stdout
    assert '"collecting":true' in on_stdio
    with http_server(home) as (url, _):
        assert json.loads(entrepot("call", "--url", url, "tidy", "--json").stdout)["collecting"] is True
