"""The wire of a stdio server: it stays clean, and it ends when it should."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from mcp import Client, MCPError, StdioServerParameters

from tests.e2e.probe import (
    STEPS,
    WRONG_PARAMS,
    Home,
    Steps,
    at,
    call,
    legacy_opening,
    lines,
    modern_call,
    request,
    text_of,
)
from tests.support.processes import Child

SOON_S = 1.0 + 0.3
"""The limit, and a margin for a processor that is shared: the end is counted from the client's side."""
ATTEMPTS = 3
"""Of so many ends one must come soon; the others may be late because of what else the machine does."""


def answers(process: "subprocess.CompletedProcess[str]") -> dict[object, dict[str, object]]:
    found = [json.loads(line) for line in process.stdout.splitlines()]
    return {each.get("id"): each for each in found}


def opened(home: Home) -> Child:
    """Start a server and wait until it has answered the handshake."""
    process = home.start("serve")
    assert process.stdin
    assert process.stdout
    process.stdin.write(lines(legacy_opening()).encode())
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 0
    return process


def ended(process: Child, stop: signal.Signals | None) -> float:
    """Send a signal, or close the input without one; return after how many seconds the server has ended, with code 0."""
    assert process.stdin
    asked = time.monotonic()
    if stop is None:
        process.stdin.close()
    else:
        process.send_signal(stop)
    assert process.wait(timeout=60) == 0
    took = time.monotonic() - asked
    process.stdin.close()
    return took


def rest_of(process: Child) -> bytes:
    """Return what the client of a server that has ended has not read."""
    assert process.stdout
    with process.stdout:
        return process.stdout.read()


STOPS = pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, None], ids=["SIGTERM", "SIGINT", "EOF"])


@STOPS
def test_a_signal_or_the_end_of_input_ends_the_server_within_a_second_with_code_0_and_a_clean_wire(
    home: Home, stop: signal.Signals | None
) -> None:
    def attempt() -> float:
        process = opened(home)
        took = ended(process, stop)
        assert rest_of(process) == b""
        return took

    assert any(attempt() < SOON_S for _ in range(ATTEMPTS))


def test_a_call_that_never_ends_does_not_delay_shutdown(home: Home) -> None:
    def attempt() -> float:
        process = opened(home)
        assert process.stdin
        process.stdin.write(lines([call(1, "rest")]).encode())
        process.stdin.flush()
        took = ended(process, None)
        rest_of(process)
        return took

    assert any(attempt() < SOON_S for _ in range(ATTEMPTS))


def filled(process: Child, requests: int) -> bool:
    """Send requests whose answers nobody reads, as far as they are taken; return whether all were."""
    assert process.stdin
    os.set_blocking(process.stdin.fileno(), False)
    rest = lines([call(number, "echo", {"text": "x" * 2_000}) for number in range(1, requests + 1)]).encode()
    last = time.monotonic()
    while rest and time.monotonic() - last < 0.5:
        try:
            rest = rest[os.write(process.stdin.fileno(), rest) :]
            last = time.monotonic()
        except BlockingIOError:
            time.sleep(0.01)
    return not rest


@STOPS
@pytest.mark.parametrize("backlog", [False, True])
def test_a_client_that_does_not_read_does_not_delay_shutdown(
    home: Home, stop: signal.Signals | None, *, backlog: bool
) -> None:
    def attempt() -> float:
        process = opened(home)
        assert filled(process, 2_000 if backlog else 100) is not backlog
        took = ended(process, stop)
        assert process.stdout
        process.stdout.close()
        return took

    assert any(attempt() < SOON_S for _ in range(ATTEMPTS))


@pytest.mark.parametrize("stop", [signal.SIGTERM, None], ids=["SIGTERM", "EOF"])
@pytest.mark.parametrize(("tool", "calls"), [("compute", 8), ("queue", 300)])
def test_neither_threads_nor_a_slow_backlog_delay_the_end_when_the_client_does_not_read(
    home: Home, tool: str, calls: int, stop: signal.Signals | None
) -> None:
    """Threads cannot be cancelled and go on for half a minute; the backlog would be answered within as long."""

    def attempt() -> float:
        process = opened(home)
        assert process.stdin
        assert process.stdout
        first, *rest = [call(number, tool) for number in range(1, calls + 1)]
        process.stdin.write(lines([first, call("begun", "echo"), *rest]).encode())
        process.stdin.flush()
        while json.loads(process.stdout.readline())["id"] != "begun":
            pass
        took = ended(process, stop)
        process.stdout.close()
        return took

    assert any(attempt() < SOON_S for _ in range(ATTEMPTS))


@pytest.mark.parametrize(
    ("endless", "size", "answered"),
    [(63, 0, True), (64, 0, False), (3, 4_000_000, True), (4, 4_000_000, False)],
    ids=["63 calls", "64 calls", "12 MB", "16 MB"],
)
def test_no_more_is_read_while_64_calls_or_16_mb_are_without_an_answer(
    home: Home, endless: int, size: int, answered: bool
) -> None:
    """The last call is short, or longer than what is left of 16 MiB."""
    session = [
        *legacy_opening(),
        *(call(number, "rest", {"text": "x" * size}) for number in range(1, endless + 1)),
        call("last", "echo", {"text": "x" * (size // 4)}),
    ]
    assert ("last" in answers(home.run("serve", stdin=lines(session)))) is answered


def test_a_session_longer_than_what_is_read_at_once_is_answered_whole(home: Home) -> None:
    session = [*legacy_opening(), *(call(number, "echo", {"text": "x" * 2_000}) for number in range(1, 501))]
    assert set(answers(home.run("serve", stdin=lines(session)))) == {0, *range(1, 501)}


def test_cancelled_calls_free_their_places(home: Home) -> None:
    endless = [call(number, "rest") for number in range(1, 65)]
    process = opened(home)
    assert process.stdin
    assert process.stdout
    cancelled: list[dict[str, object]] = [
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        for number in range(1, 65)
    ]
    process.stdin.write(lines([*endless[:-1], *cancelled[:-1], call(99, "echo")]).encode())
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 99
    process.communicate(timeout=20)


def test_an_id_that_is_in_use_is_refused(home: Home) -> None:
    found = home.run("serve", stdin=lines([*legacy_opening(), call(1, "rest"), call(1, "echo")])).stdout
    assert at(json.loads(found.splitlines()[1]), "error", "code") == -32600


@pytest.mark.parametrize("key", ['"id"', r'"\u0069d"'])
def test_a_request_whose_id_is_neither_text_nor_whole_number_is_answered_with_an_error(home: Home, key: str) -> None:
    wrong = ["null", "1.5", "1.0", "true", "{}", "[1]", "NaN", "Infinity", "-Infinity", "1e999", r'"\ud800"']
    asked = "".join(lines([call(1, "echo")]).replace('"id": 1', f"{key}: {sent}") for sent in wrong)
    process = home.run("serve", stdin=lines(legacy_opening()) + asked)
    found = [json.loads(line) for line in process.stdout.splitlines()]
    assert [each["error"]["code"] for each in found if each["id"] is None] == [-32600] * len(wrong)
    assert [each["id"] for each in found if each["id"] is not None] == [0], "the handshake"


def test_the_server_ends_when_its_client_stops_listening(home: Home) -> None:
    process = opened(home)
    assert process.stdin
    assert process.stdout
    process.stdout.close()
    process.stdin.write(lines([call(1, "echo")]).encode())
    process.stdin.close()
    assert process.wait(timeout=20) == 0


def test_calls_sent_before_the_end_of_input_are_answered_in_both_protocol_versions(home: Home) -> None:
    old = answers(home.run("serve", stdin=lines([*legacy_opening(), call(1, "echo", {"text": "a"})])))
    new = answers(home.run("serve", stdin=lines([modern_call(1, "echo", {"text": "a"})])))
    for found in (old, new):
        assert at(found[1], "result", "structuredContent", "arguments") == {"text": "a"}


def test_input_from_a_file_and_from_nowhere_is_served(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "session"
    file.write_text(lines([modern_call(1, "echo")]), encoding="utf-8")
    for source, expected in ((file, 1), (Path(os.devnull), 0)):
        with source.open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
            environment = home.environment()
            code = subprocess.call(home.command("serve"), cwd=home.folder, env=environment, stdin=stdin, stdout=stdout)
        assert code == 0
        assert len((tmp_path / "out").read_bytes().splitlines()) == expected


def test_what_tools_and_their_children_print_never_reaches_the_wire(home: Home) -> None:
    process = home.run("serve", stdin=lines([modern_call(1, "noise")]))
    assert list(answers(process)) == [1]
    assert "stray print" in process.stderr
    assert "stray child" in process.stderr


def test_lines_that_are_no_messages_are_answered_with_errors_and_the_server_goes_on(home: Home) -> None:
    huge = json.dumps(modern_call(7, "echo", {"text": "x" * 3_000_000})) + "\n"
    bad = 'no json\n[]\n{"jsonrpc":"2.0","id":5}\n[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n\n'
    process = home.run(
        "serve", stdin=bad + huge + lines([modern_call(1, "echo")]), ENTREPOT_SERVER__MAX_BODY_BYTES="2000000"
    )
    found = [json.loads(line) for line in process.stdout.splitlines()]
    assert [(each["id"], each.get("error", {}).get("code")) for each in found] == [
        (None, -32700),
        (None, -32600),
        (5, -32600),
        (None, -32600),
        (None, -32600),
        (1, None),
    ]


@pytest.mark.parametrize("of", [None, 5, "a"])
def test_an_error_that_the_client_sends_is_not_answered(home: Home, of: object) -> None:
    error = {"jsonrpc": "2.0", "id": of, "error": {"code": -32700, "message": "unreadable"}}
    process = home.run("serve", stdin=lines([error, modern_call(1, "echo")]))
    assert [json.loads(line)["id"] for line in process.stdout.splitlines()] == [1]


def test_what_is_wrong_with_parameters_is_named(home: Home) -> None:
    asked = [{"jsonrpc": "2.0", "id": number, **sent} for number, (sent, _) in enumerate(WRONG_PARAMS, 1)]
    found = answers(home.run("serve", stdin=lines([*legacy_opening(), *asked])))
    assert [at(found[number], "error") for number in range(1, len(asked) + 1)] == [
        {"code": -32602, "message": sentence} for _, sentence in WRONG_PARAMS
    ]


def test_a_byte_order_mark_is_no_json(home: Home) -> None:
    found = answers(home.run("serve", stdin="\ufeff" + lines([modern_call(1, "echo"), modern_call(2, "echo")])))
    assert {key: at(reply, "error", "code") if "error" in reply else None for key, reply in found.items()} == {
        None: -32700,
        2: None,
    }


def test_a_lone_surrogate_reaches_the_tool_and_comes_back_readable(home: Home) -> None:
    found = answers(home.run("serve", stdin=lines([modern_call(1, "echo", {"text": "\ud800"})])))
    assert at(found[1], "result", "isError") is False


def test_a_message_of_three_megabytes_passes(home: Home) -> None:
    text = "x" * 3_000_000
    found = answers(home.run("serve", stdin=lines([modern_call(1, "echo", {"text": text})])))
    assert at(found[1], "result", "structuredContent", "arguments", "text") == text


@pytest.mark.parametrize("item", [1, []], ids=["numbers", "lists"])
def test_a_million_wrong_items_are_refused_by_the_tool_and_elsewhere_by_the_wire(home: Home, item: object) -> None:
    many = [item] * 1_000_000
    found = answers(home.run("serve", stdin=lines([*legacy_opening(), call(1, "echo", {"text": many}), [many]])))
    assert at(found[1], "result", "isError") is True
    assert "text should have at most 20000 values" in str(at(found[1], "result", "content", 0, "text"))
    assert at(found[None], "error", "code") == -32600


def test_an_unknown_tool_is_a_protocol_error(home: Home) -> None:
    found = answers(home.run("serve", stdin=lines([*legacy_opening(), call(1, "nope"), request(2, "nope", {})])))
    assert at(found[1], "error", "code") == -32602
    assert at(found[2], "error", "code") == -32601


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_official_client_uses_tools_resources_and_progress(home: Home, mode: str) -> None:
    command, *words = home.command("serve")
    server = StdioServerParameters(command=command, args=words, env=home.environment(), cwd=home.folder)
    steps = Steps()
    async with Client(server, mode=mode) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == sorted(tool.name for tool in listed)
        echo = next(tool for tool in listed if tool.name == "echo")
        assert echo.title == "Echo"
        assert echo.annotations
        assert (echo.annotations.read_only_hint, echo.annotations.open_world_hint) == (True, False)
        reply = await client.call_tool("echo", {"text": "a"})
        assert reply.meta
        assert reply.meta["demo/ticks"] == 1
        assert json.loads(text_of(reply)) == reply.structured_content
        assert reply.structured_content["caller"]["client"].startswith("mcp/")
        bare = await client.call_tool("names", {})
        assert (bare.structured_content, text_of(bare)) == ({"result": ["a", "b"]}, '["a","b"]')
        await client.call_tool("count", {}, progress_callback=steps.note)
        assert steps.seen == STEPS
        (content,) = (await client.read_resource("demo://ticks")).contents
        assert at(content.model_dump(), "text") == "demo://ticks: 1 ticks"
        with pytest.raises(MCPError, match="Reading failed"):
            await client.read_resource("demo://broken")
        with pytest.raises(MCPError, match="Unknown resource"):
            await client.read_resource("demo://nothing")


async def test_failures_around_a_handler_have_the_envelope_of_the_toolset_without_their_text(home: Home) -> None:
    command, *words = home.command("serve")
    server = StdioServerParameters(command=command, args=words, env=home.environment(), cwd=home.folder)
    async with Client(server) as client:
        late = await client.call_tool("sleep", {})
        assert (late.is_error, late.structured_content["error"]) == (True, "timeout")
        crash = await client.call_tool("crash", {})
        assert (crash.is_error, crash.structured_content) == (True, {"success": False, "error": "internal_error"})
