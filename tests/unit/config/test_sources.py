"""Where settings come from, and what is said about wrong ones."""

from pathlib import Path

import pytest

from config.errors import ConfigError
from config.explain import explain
from config.sources import LoadedSettings, flag_table, load, profiles


def write(folder: Path, text: str, name: str = "entrepot.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def said(loaded: LoadedSettings) -> dict[str, tuple[object, str]]:
    return {each.key: (each.value, each.source) for each in explain(loaded)}


def test_nothing_set_gives_the_embedded_profile_on_loopback() -> None:
    found = load().settings
    assert (found.profile, found.server.transport, found.server.host, found.server.port) == (
        "embedded",
        "stdio",
        "127.0.0.1",
        8765,
    )
    assert found.stores == {"embedded": {"kind": "sqlite"}, "minilm": {"kind": "minilm"}}
    assert found.defaults.named_stores == {
        "graph": "embedded",
        "vectors": "embedded",
        "events": "embedded",
        "embedder": "minilm",
    }
    assert found.data_dir.is_absolute()


def test_a_flag_beats_the_environment_beats_the_file_beats_the_profile(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        folder,
        "[server]\nport = 1\nhost = 'a'\ntransport = 'http'\n[toolsets.knowledge]\ngraph = 'mine'\n"
        "[stores.mine]\nkind = 'sqlite'\n",
    )
    monkeypatch.setenv("ENTREPOT_SERVER__PORT", "2")
    monkeypatch.setenv("ENTREPOT_SERVER__HOST", "b")
    found = said(load(flag_table({"server.port": 3, "server.host": None})))
    assert found["server.port"] == (3, "flag")
    assert found["server.host"] == ("b", "environment ENTREPOT_SERVER__HOST")
    assert found["server.transport"] == ("http", "entrepot.toml")
    assert found["toolsets.knowledge.graph"] == ("mine", "entrepot.toml")
    assert found["defaults.events"] == ("embedded", "profile embedded")
    assert found["log.level"] == ("info", "default")


def test_the_environment_reaches_into_stores_and_toolsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_STORES__EMBEDDED__FILE", "x.db")
    monkeypatch.setenv("ENTREPOT_TOOLSETS__KNOWLEDGE__ENABLED", "false")
    found = load().settings
    assert found.stores["embedded"] == {"kind": "sqlite", "file": "x.db"}
    assert found.toolsets["knowledge"].enabled is False


def test_options_of_other_profiles_stores_may_stay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move from one profile to another needs the options of both at once; a misspelt store is still an error."""
    write(folder, "[stores.lancedb]\nuri = 'elsewhere'\n")
    monkeypatch.setenv("ENTREPOT_STORES__NEO4J__URI", "bolt://graph:7687")
    assert {*load().settings.stores} == {"embedded", "minilm"}
    moved = load({"profile": "scale"}).settings.stores
    assert (moved["neo4j"]["uri"], moved["lancedb"]["uri"]) == ("bolt://graph:7687", "elsewhere")
    monkeypatch.setenv("ENTREPOT_STORES__NEO5J__URI", "bolt://graph:7687")
    with pytest.raises(ConfigError, match=r"stores\.neo5j needs a `kind`"):
        load()


def test_a_toolsets_own_keys_are_kept_for_its_own_model(folder: Path) -> None:
    write(folder, "[toolsets.knowledge]\nextensions = true\n")
    assert load().settings.toolsets["knowledge"].own == {"extensions": True}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[server]\nprot = 1\n", "entrepot.toml: server.prot is not a setting; did you mean port?"),
        ("sever = 1\n", "entrepot.toml: sever is not a setting; did you mean server?"),
        ("[server]\nport = 'x'\n", "entrepot.toml: server.port is wrong"),
        ("[server]\ntoken = 5\n", "entrepot.toml: server.token is wrong"),
        ("[server]\nallowed_hosts = ['http://box']\n", "entrepot.toml: server.allowed_hosts.0 is wrong"),
        ("[toolsets.knowledge]\ngraph = 'no'\n", 'toolsets.knowledge.graph names the store "no"'),
        ("[defaults]\ngraph = 'no'\n", 'defaults.graph names the store "no"'),
        ("[defaults]\ngraph = 'mian'\n[stores.main]\nkind = 'sqlite'\n", "no [stores.mian]; did you mean main?"),
        ("[defaults]\ngrph = 'no'\n", "entrepot.toml: defaults.grph is not a setting"),
        ("[stores.x]\nfile = 'y'\n", "stores.x needs a `kind`"),
        ("[stores.Bad-Name]\nkind = 'y'\n", "entrepot.toml: stores.Bad-Name is wrong"),
        ("[stores.x]\nkind = 'y'\nat = 2020-01-01\n", "has a date or a time, which no setting takes"),
        ("profile = 'nope'\n", "There is no profile 'nope'. There are: embedded"),
        ("profile = 'embeded'\n", "There is no profile 'embeded'; did you mean embedded? There are: embedded"),
        ("[srever]\nport = 1\n", "entrepot.toml: srever is not a setting; did you mean server?"),
        ("port = 1\n", "entrepot.toml: port is not a setting; did you mean server.port?"),
        ("log_level = 'debug'\n", "entrepot.toml: log_level is not a setting; did you mean log.level?"),
        ("zzz = 1\n", "entrepot.toml: zzz is not a setting."),
        ("[stores.embeded]\nfile = 'y'\n", 'e.g. kind = "sqlite"; did you mean embedded?'),
        ("not toml", "cannot be read"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_the_place(folder: Path, text: str, sentence: str) -> None:
    write(folder, text)
    with pytest.raises(ConfigError) as caught:
        load()
    assert sentence in str(caught.value)


def test_a_named_file_that_is_missing_is_an_error(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing\.toml cannot be read"):
        load(config_file=folder / "missing.toml")


def test_an_unknown_variable_is_an_error_and_those_for_tests_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_TEST_POSTGRES", "dsn")
    load()
    monkeypatch.setenv("ENTREPOT_SERVER__PROT", "1")
    with pytest.raises(ConfigError, match=r"ENTREPOT_SERVER__PROT: server\.prot is not a setting"):
        load()
    monkeypatch.delenv("ENTREPOT_SERVER__PROT")
    monkeypatch.setenv("ENTREPOT_PROFLE", "1")
    with pytest.raises(
        ConfigError, match=r"ENTREPOT_PROFLE, but there is no such setting; did you mean ENTREPOT_PROFILE\?"
    ):
        load()


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("ENTREPOT_SERVR__PORT", "ENTREPOT_SERVER__PORT"),
        ("ENTREPOT_SERVR__PROT", "ENTREPOT_SERVER__PORT"),
        ("Entrepot_Servr__Port", "ENTREPOT_SERVER__PORT"),
        ("ENTREPOT_SERVER_PORT", "ENTREPOT_SERVER__PORT"),
        ("ENTREPOT_LOG_LEVEL", "ENTREPOT_LOG__LEVEL"),
        ("ENTREPOT_LOGS__LEVEL", "ENTREPOT_LOG__LEVEL"),
        ("ENTREPOT_PORT", "ENTREPOT_SERVER__PORT"),
        ("ENTREPOT_TOKEN", "ENTREPOT_SERVER__TOKEN"),
        ("ENTREPOT_DEFAULT__GRAHP", "ENTREPOT_DEFAULTS__GRAPH"),
        ("ENTREPOT_STORE__NEO4J__URI", "ENTREPOT_STORES__NEO4J__URI"),
        ("ENTREPOT_TOOLSET__KNOWLEDGE__CONFIDENCE", "ENTREPOT_TOOLSETS__KNOWLEDGE__CONFIDENCE"),
        ("ENTREPOT_DATADIR", "ENTREPOT_DATA_DIR"),
        ("ENTREPOT_ZZZ__PORT", None),
        ("ENTREPOT_", None),
    ],
)
def test_an_unknown_variable_is_answered_with_the_one_that_was_meant(
    variable: str, meant: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    with pytest.raises(ConfigError) as caught:
        load()
    hint = "." if meant is None else f"; did you mean {meant}?"
    assert str(caught.value) == f"The environment sets {variable}, but there is no such setting{hint}"


def test_an_empty_data_directory_is_not_the_current_one(folder: Path) -> None:
    write(folder, 'data_dir = ""\n')
    with pytest.raises(ConfigError, match=r"^entrepot.toml: data_dir is wrong$"):
        load()


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the home directory of the user, and the entry in the user database."""

    def no_home(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("platformdirs.user_data_path", no_home)


@pytest.mark.usefixtures("homeless")
def test_a_user_without_a_home_directory_names_the_data_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=r"no home directory.* name one with --data-dir or ENTREPOT_DATA_DIR"):
        load()
    monkeypatch.setenv("ENTREPOT_SERVER__PORT", "9000")
    assert load({"data_dir": str(folder)}).settings.server.port == 9000
    monkeypatch.setenv("ENTREPOT_DATA_DIR", str(folder))
    assert load().settings.data_dir == folder


@pytest.mark.parametrize("name", profiles())
def test_every_shipped_profile_can_be_chosen_and_is_consistent(name: str) -> None:
    settings = load({"profile": name}).settings
    assert settings.profile == name
    assert set(settings.defaults.named_stores) == {"graph", "vectors", "events", "embedder"}


def test_a_data_directory_may_be_in_the_home_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    write(folder, 'data_dir = "~/entrepot"\n')
    assert load().settings.data_dir == Path("/home/somebody/entrepot")


@pytest.mark.parametrize(
    ("variable", "problem"),
    [
        ("SERVER__PORT__X", "server.port must be an integer, not a table."),
        ("LOG__LEVEL__X", "log.level must be a text, not a table."),
        ("PROFILE__X", "profile must be a text, not a table."),
        ("DATA_DIR__X__Y", "data_dir must be a path, not a table."),
        ("SERVER__ALLOWED_HOSTS__X", "server.allowed_hosts must be a list, not a table."),
        ("TOOLSETS__MEMORY__ENABLED__X", "toolsets.memory.enabled must be true or false, not a table."),
    ],
)
def test_a_variable_below_a_single_value_is_named(monkeypatch: pytest.MonkeyPatch, variable: str, problem: str) -> None:
    monkeypatch.setenv(f"ENTREPOT_{variable}", "1")
    with pytest.raises(ConfigError) as caught:
        load()
    assert str(caught.value) == f"The environment sets ENTREPOT_{variable}, but {problem}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[server.port]\nx = 1\n", "server.port must be an integer, not a table."),
        ("[profile]\nx = 1\n", "profile must be a text, not a table."),
        ("[server.token]\nx = 1\n", "server.token must be a text, not a table."),
        ("server = 1\n", "server must be a table, not a single value."),
        ("stores = 1\n", "stores must be a table, not a single value."),
        ("[toolsets]\nmemory = 1\n", "toolsets.memory must be a table, not a single value."),
    ],
)
def test_a_table_and_a_single_value_are_not_taken_for_each_other(folder: Path, text: str, problem: str) -> None:
    write(folder, text)
    with pytest.raises(ConfigError) as caught:
        load()
    assert str(caught.value) == f"entrepot.toml: {problem}"


def test_the_kind_of_a_store_is_a_text(folder: Path) -> None:
    write(folder, "[stores.embedded.kind]\nx = 1\n")
    with pytest.raises(ConfigError, match=r"stores\.embedded\.kind must be a text, not a table or a list"):
        load()
