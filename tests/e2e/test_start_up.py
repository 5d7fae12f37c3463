"""What the server refuses to start with, and how it says so."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.e2e.probe import DEMO, NO_RIVAL, Ended, Home, at, call, http_server, legacy_opening, lines
from tests.support.folders import contents

TWO = DEMO.replace(NO_RIVAL, "")


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


def test_a_data_directory_that_is_a_file_is_named(home: Home) -> None:
    file = home.folder / "file"
    file.touch()
    assert f"The data directory {file / 'data'} cannot be used" in refused(home, "--data-dir", str(file / "data"))


def test_wrong_settings_of_the_gateway_and_of_a_toolset_are_named(home: Home) -> None:
    assert "toolsets.demo.greting is not a setting" in refused(home, ENTREPOT_TOOLSETS__DEMO__GRETING="x")
    home.configure(DEMO.replace("embedder", "graph"))
    assert "[toolsets.demo] names a store for graph, which the toolset does not use." in refused(home)


def test_a_bind_beyond_loopback_without_a_token_is_refused(home: Home) -> None:
    assert "needs server.token" in refused(home, "--transport", "http", "--host", "0.0.0.0")  # noqa: S104 it is refused


def test_a_toolset_that_is_not_installed_or_enabled_is_named(home: Home) -> None:
    assert "No toolset called knowledge is enabled" in refused(home, "--toolsets", "demo,knowledge")
    home.configure(DEMO + "\n[toolsets.nothing]\n")
    assert "The toolset nothing is configured but not installed" in refused(home)


def test_a_toolset_that_is_not_configured_is_reported_and_uses_the_default_stores(home: Home) -> None:
    home.configure(TWO.replace('[toolsets.demo]\nembedder = "shelf"\n', "[defaults]\nembedder = 'shelf'\n"))
    found = home.run("serve", stdin=lines([*legacy_opening(), call(1, "shelf"), call(2, "rival_echo")]))
    replies = {at(each, "id"): at(each, "result") for each in map(json.loads, found.stdout.splitlines())}
    assert at(replies[1], "structuredContent", "success") is True
    assert '"message":"rival"' in found.stdout
    for name in ("demo", "rival"):
        assert (
            f"The toolset {name} is installed but not configured; it is served with the default stores" in found.stderr
        )


def test_a_documented_variable_that_is_not_read_is_reported(home: Home) -> None:
    found = home.run("serve", NEO4J_URI="bolt://u:s3cret@host", NEO4J_PASSWORD="s3cret")  # noqa: S106 a test's
    assert "NEO4J_URI is set but not used; set ENTREPOT_STORES__NEO4J__URI" in found.stderr
    assert "NEO4J_PASSWORD is set but not used; set ENTREPOT_STORES__NEO4J__PASSWORD" in found.stderr
    assert (found.returncode, "s3cret" in found.stderr) == (0, False)


def test_files_of_a_server_are_readable_by_their_owner_only(home: Home) -> None:
    home.configure(NO_RIVAL + "[toolsets.demo]\nenabled = false\n")
    home.data.chmod(0o755)
    code = "import os, sys, runpy; os.umask(0); sys.argv = ['entrepot', 'serve']; runpy.run_module('gateway.cli.main')"
    command = [
        sys.executable,
        "-P",
        "-c",
        code.replace("'gateway.cli.main'", "'gateway.cli.main', run_name='__main__'"),
    ]
    subprocess.run(command, cwd=home.folder, env=home.environment(), stdin=subprocess.DEVNULL, check=True)
    made = [path for path in home.data.rglob("*") if path.name != "shelf"]
    assert made
    assert {path.name: oct(path.stat().st_mode & 0o077) for path in made} == dict.fromkeys(
        (path.name for path in made), "0o0"
    )


@pytest.mark.parametrize(("closed", "told"), [("<&-", "input"), (">&-", "output"), ("<&- >&-", "input and output")])
def test_a_missing_standard_stream_is_reported_in_a_sentence(home: Home, closed: str, told: str) -> None:
    command = f"{sys.executable} -P -m gateway.cli.main serve {closed}"
    ended = subprocess.run(
        ["/bin/sh", "-c", command], cwd=home.folder, env=home.environment(), stderr=subprocess.PIPE, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.decode() == (
        f"entrepot: standard {told} must be open; connect what is not needed to /dev/null.\n"
    )


def test_without_standard_error_nothing_is_started(home: Home) -> None:
    """There is no place to say why; a file that took the descriptor would get what is printed."""
    before = contents(home.folder)
    command = f"{sys.executable} -P -m gateway.cli.main serve 2>&-"
    ended = subprocess.run(
        ["/bin/sh", "-c", command], cwd=home.folder, env=home.environment(), stdout=subprocess.PIPE, check=False
    )
    assert (ended.returncode, ended.stdout, contents(home.folder)) == (1, b"", before)


def test_a_terminal_shows_what_the_server_waits_for(home: Home) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        home.command("serve"),
        cwd=home.folder,
        env=home.environment(),
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr
    said = process.stderr.readline()
    assert b"waits for an MCP client on standard input" in said
    assert b"To serve HTTP: entrepot serve --transport http." in said
    os.close(theirs)
    os.close(ours)
    assert process.wait(timeout=5) == 0, "the terminal is gone"
    process.stderr.close()


def test_an_adapter_that_is_not_installed_is_named(home: Home) -> None:
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
