"""The command line: what it prints, and its exit codes."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.e2e.probe import DEMO, NO_RIVAL, Ended, Home

Command: TypeAlias = Callable[..., Ended]


def test_call_starts_a_server_and_prints_the_reply(home: Home) -> None:
    people = home.run("call", "echo", "text=5", "count=3", "flag=true", "ratio:=null")
    assert people.returncode == 0
    assert people.stdout.startswith("hello\n{")
    assert people.stderr == ""


def test_call_asks_a_running_server(base: str, entrepot: Command) -> None:
    programs = entrepot("call", "--url", base, "--json", "echo", "text=5", "count=3")
    assert (programs.returncode, json.loads(programs.stdout)["arguments"]) == (0, {"text": "5", "count": 3})


def test_call_ends_with_1_for_an_error_reply_and_2_for_wrong_usage(base: str, entrepot: Command) -> None:
    crash = entrepot("call", "--url", base, "crash")
    assert (crash.returncode, json.loads(crash.stdout)) == (1, {"error": "internal_error"})
    unknown = entrepot("call", "--url", base, "nope")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "There is no tool nope. There are: compute, count, crash" in unknown.stderr
    resembling = entrepot("call", "--url", base, "ecko").stderr
    assert resembling.rstrip().endswith("There is no tool ecko; did you mean echo?")
    assert entrepot("call", "--url", base, "echo", "count=x").returncode == 2
    undecodable = entrepot("call", "--url", base, "echo", "text=caf\udce9")
    assert (undecodable.returncode, r"'text=caf\udce9' cannot be sent" in undecodable.stderr) == (2, True)


def test_call_says_when_no_server_answers(home: Home, entrepot: Command) -> None:
    away = entrepot("call", "--url", "http://127.0.0.1:9", "echo")
    assert (away.returncode, "The server did not answer" in away.stderr) == (1, True)
    assert "Traceback" not in away.stderr
    assert entrepot("call", "--url", "localhost:8765", "echo").returncode == 2
    home.configure("nonsense = 1\n")
    broken = entrepot("call", "echo")
    assert (broken.returncode, "nonsense is not a setting" in broken.stderr) == (1, True)


def test_a_start_that_fails_under_call_is_told_once(home: Home) -> None:
    home.configure(DEMO.replace('kind = "shelf"', 'kind = "shelff"'))
    failed = home.run("call", "echo")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.count("\n") == 1, failed.stderr
    assert "no adapter is called 'shelff'; did you mean shelf?" in failed.stderr


def test_an_output_that_lacks_a_character_shows_its_code(tmp_path: Path) -> None:
    words = (sys.executable, "-m", "gateway.cli.main", "config", "explain", "--data-dir", str(tmp_path / "“notes”"))
    # Started from nothing, because a fork has the streams of its parent.
    shown = subprocess.run(words, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, capture_output=True, check=False)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert rb"\u201cnotes\u201d" in shown.stdout


def test_tools_prints_their_number_and_their_size(entrepot: Command) -> None:
    shown = entrepot("tools")
    assert "11 tools; tools/list has" in shown.stdout
    listed = json.loads(entrepot("tools", "--json").stdout)["tools"]
    assert next(tool for tool in listed if tool["name"] == "echo")["annotations"]["readOnlyHint"] is True


def test_tools_are_never_cut_to_the_width_of_a_terminal(
    entrepot: Command, monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    home.configure("")
    assert "knowledge_create_relationship" in entrepot("tools").stdout.split()


def test_a_mistyped_command_is_reported_with_a_suggestion(entrepot: Command) -> None:
    for typed, meant in (("serv", "serve"), ("dmo", "demo"), ("says", "say")):
        mistaken = entrepot(typed)
        assert (mistaken.returncode, f"No such command {typed!r}; did you mean {meant}?" in mistaken.stderr) == (
            2,
            True,
        )


def test_a_missing_file_or_name_is_reported_in_a_sentence(home: Home) -> None:
    wrong = {
        "call echo text=@nowhere": (2, "The argument text names the file nowhere, which cannot be read: No such file"),
        "--config nowhere.toml check": (2, "there is no file nowhere.toml"),
        "contracts --profile nope": (2, "no profile is called 'nope'. There are: embedded"),
        "contracts --backend sqlit": (2, "no adapter is called 'sqlit'; did you mean sqlite? There are:"),
        "--data-dir nowhere check": (1, "There is no data directory nowhere"),
        "contracts --help": (0, "--promise ID"),
        "contracts -- nowhere.py": (2, "file or directory not found: nowhere.py"),
    }
    for words, (code, told) in wrong.items():
        ended = home.run(*words.split())
        said = ended.stdout + ended.stderr
        assert (ended.returncode, told in said, "Traceback" in said) == (code, True, False), said


@pytest.mark.parametrize("option", ["--data-dir", "--config"])
def test_an_empty_path_is_not_the_current_directory(home: Home, entrepot: Command, option: str) -> None:
    """As a script gives it whose variable is not set."""
    ended = entrepot("config", "explain", option, "")
    assert (ended.returncode, "the path is empty" in ended.stderr) == (2, True), ended.stderr


def test_settings_are_explained_with_the_defaults_of_engines_and_toolsets(home: Home, entrepot: Command) -> None:
    home.configure('[stores.remote]\nkind = "postgres"\nuri = "postgresql://u:s3cret@host/db"\n')
    found = {each["key"]: each for each in json.loads(entrepot("config", "explain", "--json").stdout)}
    assert "s3cret" not in json.dumps(found)
    assert found["stores.embedded.busy_timeout_s"]["source"] == "default"
    assert found["toolsets.knowledge.confidence"]["value"] is True
    assert found["toolsets.memory.graph"] == {
        "key": "toolsets.memory.graph",
        "value": "embedded",
        "source": "profile embedded defaults.graph",
    }
    for key in (
        "server.token",
        "stores.embedded.directory",
        "toolsets.skills.language",
        "toolsets.concept_rag.taxonomy",
    ):
        assert found[key] == {"key": key, "value": None, "source": "not set"}
    assert "toolsets.memory.language" not in found, "a port that the toolset does not use"
    home.configure("[toolsets.knowledge]\nnonsense = 1\n")
    broken = entrepot("config", "explain")
    assert (broken.returncode, "stores.embedded.kind" in broken.stdout) == (1, True)
    assert "toolsets.knowledge.nonsense is not a setting" in broken.stderr


def test_check_reports_problems_and_ends_with_1(home: Home, entrepot: Command) -> None:
    well = entrepot("check")
    assert (well.returncode, "ok   store shelf (shelf)" in well.stdout) == (0, True)
    home.shelf.unlink()
    ill = entrepot("check", "--json")
    found = json.loads(ill.stdout)
    assert (ill.returncode, found["ok"]) == (1, False)
    assert found["stores"]["shelf"]["detail"] == "there is no shelf"
    assert found["toolsets"]["demo"] == {"ok": False, "lag": 2, "problems": ["there is no shelf"]}
    assert found["capabilities"]["shelf"]["ports"] == ["embedder"]


def test_files_that_crash_the_integrity_check_are_reported_and_quarantined(home: Home, entrepot: Command) -> None:
    """Of one that somebody else ended nothing is known: it stays where it is."""
    home.shelf.write_text("torn", encoding="utf-8")
    ways = {
        "SIGSEGV": "(the process that read it died of SIGSEGV): it is damaged",
        "panic": "(Panic: torn): it is damaged",
        "interrupted": "the verification process exited with",
        "SIGKILL": "the verification process exited with -9; try again with more memory",
    }
    for state, expected in ways.items():
        home.configure(f'{DEMO}state = "{state}"\n')
        ill = entrepot("check", "--json")
        said = json.loads(ill.stdout)["stores"]["shelf"]["detail"]
        assert (ill.returncode, expected in said) == (1, True), said
    assert home.shelf.exists()
    home.configure(DEMO + 'state = "SIGSEGV"\n')
    told = entrepot("rebuild")
    assert (told.returncode, "check the disk" in told.stderr) == (1, True), told.stderr
    assert [file.read_text(encoding="utf-8") for file in home.data.glob("damaged-*/shelf")] == ["torn"]
    assert "Damaged files were moved to" in told.stderr


def test_a_file_that_cannot_be_verified_on_a_full_disk_is_not_quarantined(home: Home, entrepot: Command) -> None:
    home.configure(f'{DEMO}state = "full"\n')
    said = f"{home.shelf} could not be verified completely: there is no room"
    ill = entrepot("check", "--json")
    found = json.loads(ill.stdout)
    assert (ill.returncode, found["stores"]["shelf"]["detail"]) == (1, said)
    assert found["toolsets"]["demo"]["ok"] is True, "what can be opened is asked"
    told = entrepot("rebuild")
    assert (told.returncode, said in told.stderr, "Nothing was rebuilt" in told.stderr) == (1, True, True), told.stderr
    assert home.shelf.exists()


def test_check_reports_each_toolset_that_lacks_its_graph(home: Home, entrepot: Command) -> None:
    graphs = "".join(f'[toolsets.{name}]\ngraph = "graphs"\n' for name in ("agent_graph", "knowledge", "memory"))
    home.configure(f'{graphs}[stores.graphs]\nkind = "sqlite"\nmax_page = 9\n')
    ill = entrepot("check", "--profile", "embedded", "--json")
    assert ill.returncode == 1, ill.stderr
    found = json.loads(ill.stdout)
    said = "[stores.graphs]: option max_page: there is no such option; did you mean max_pages?"
    assert (found["stores"]["graphs"]["detail"], found["stores"]["embedded"]["ok"]) == (said, True)
    answer = "its store graphs cannot be opened"
    assert found["toolsets"]["knowledge"]["problems"] == found["toolsets"]["agent_graph"]["problems"] == [answer]
    assert found["toolsets"]["memory"]["problems"] == [f"database memory: {answer}"]


def test_a_toolsets_own_command_runs_under_its_name_and_its_exit_code_is_ours(entrepot: Command) -> None:
    said = entrepot("demo", "say", "a", "--b")
    assert (said.returncode, said.stdout) == (0, "a --b\n")
    assert entrepot("demo", "say").returncode == 1
    assert "Say words; no words are trouble." in entrepot("demo", "--help").stdout
    assert "Usage: entrepot demo say" in entrepot("demo", "say", "--help").stdout
    assert entrepot("demo", "nope").returncode == 2


def test_a_flag_declared_read_only_creates_nothing_whatever_its_name(home: Home, tmp_path: Path) -> None:
    data = tmp_path / "none"
    place = ("--data-dir", str(data))
    pretended = home.run("demo", "notes", "add", "--text", "a", "--pretend", *place)
    assert (pretended.returncode, pretended.stdout, data.exists()) == (0, "would add a\n", False), pretended.stderr
    refused = home.run("demo", "notes", "add", "--pretend", *place)
    assert (refused.returncode, data.exists()) == (2, False)


def test_a_value_that_is_spelt_like_a_flag_is_no_flag(home: Home, tmp_path: Path) -> None:
    data = tmp_path / "none"
    added = home.run("demo", "notes", "add", "--text", "--dry-run", "--data-dir", str(data))
    assert (added.returncode, added.stdout, data.exists()) == (0, "added --dry-run\n", True), added.stderr


def test_a_toolset_without_commands_says_so(home: Home, entrepot: Command) -> None:
    home.configure("")
    said = entrepot("agent_graph", "--help")
    assert (said.returncode, "agent_graph has no commands" in said.stdout) == (0, True)
    said = entrepot("agent_graph")
    assert (said.returncode, "agent_graph has no commands" in said.stderr) == (2, True)
    unknown = entrepot("nope", "--help")
    assert (unknown.returncode, "No such command 'nope'" in unknown.stderr) == (2, True)


@pytest.mark.parametrize("command", ["tools", "call tidy", "check", "rebuild", "demo say a"])
def test_a_log_level_that_is_set_applies_to_every_command(home: Home, command: str) -> None:
    """Without one, a command prints what it did before."""
    unconfigured = DEMO.replace(NO_RIVAL, "") + '[defaults]\nembedder = "shelf"\n'
    home.configure(unconfigured)
    line = "INFO    entrepot.gateway: The toolset rival is installed but not configured"
    if command == "demo say a":
        line = "DEBUG   demo_toolset: saying 1 words"
    plain = home.run(*command.split())
    assert (plain.returncode, line in plain.stderr) == (0, False), plain.stderr
    told = home.run(*command.split(), ENTREPOT_LOG__LEVEL="debug")
    assert (told.returncode, told.stdout, line in told.stderr) == (0, plain.stdout, True), told.stderr
    home.configure(f'{unconfigured}[log]\nlevel = "debug"\n')
    filed = home.run(*command.split())
    assert (filed.returncode, filed.stdout, line in filed.stderr) == (0, plain.stdout, True), filed.stderr


def test_an_unforeseen_error_has_its_traceback_at_the_level_that_the_sentence_names(home: Home) -> None:
    plain = home.run("demo", "say", "crash")
    sentence = "an unexpected error occurred (ZeroDivisionError: of a command). Set ENTREPOT_LOG__LEVEL=debug"
    assert (plain.returncode, sentence in plain.stderr, "Traceback" in plain.stderr) == (1, True, False)
    assert "Traceback" in home.run("demo", "say", "crash", ENTREPOT_LOG__LEVEL="debug").stderr


def test_rebuild_reports_what_was_built(entrepot: Command) -> None:
    built = entrepot("rebuild", "--toolset", "demo")
    assert (built.returncode, "generation 5 from 7 events: 1 node, 2 edges" in built.stdout) == (0, True)
    assert built.stderr == "demo: 1 of 1\n", "progress is told without a terminal too"
    assert json.loads(entrepot("rebuild", "--json").stdout)["demo"]["vectors"] == 3


def test_options_of_place_work_before_and_after_the_command(home: Home, entrepot: Command) -> None:
    other = home.folder / "other.toml"
    other.write_text((home.folder / "entrepot.toml").read_text() + 'password = "s3cret"\n', encoding="utf-8")
    for words in (["--config", str(other), "config", "explain"], ["config", "explain", "--config", str(other)]):
        shown = entrepot(*words, "--json")
        found = {each["key"]: each for each in json.loads(shown.stdout)}
        assert found["stores.shelf.password"] == {
            "key": "stores.shelf.password",
            "value": "********",
            "source": str(other),
        }


def test_wrong_usage_ends_with_2_and_trouble_with_1_without_tracebacks(entrepot: Command) -> None:
    wrong = (["nope"], ["serve", "--port", "x"], ["--config", "nope.toml", "check"])
    for words, code in (*((each, 2) for each in wrong), (["--data-dir", "nowhere", "check"], 1)):
        ended = entrepot(*words)
        assert ended.returncode == code
        assert "Traceback" not in ended.stderr
    assert entrepot("--version").stdout.startswith("entrepot ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("contracts --backend sqlite --data-dir x", "--data-dir would have no effect: the suite runs on"),
        ("--config x contracts", "--config would have no effect: the suite runs on"),
        ("call --url http://127.0.0.1:9 echo --data-dir x", "--data-dir would have no effect: the server behind --url"),
    ],
)
def test_options_of_place_that_a_command_does_not_use_are_refused(home: Home, words: str, sentence: str) -> None:
    refused = home.run(*words.split())
    assert (refused.returncode, refused.stdout) == (2, "")
    assert sentence in " ".join(refused.stderr.split())
