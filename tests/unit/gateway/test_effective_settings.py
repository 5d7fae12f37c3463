"""The settings in effect, with the source of each."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from config.secrets import MASK
from config.sources import load, read
from gateway import effective_settings as module
from gateway import plugins
from gateway.effective_settings import effective_settings, given_settings
from toolsets.spec import RunningToolset, Services, Toolset

VARIABLES = {
    "DEBUG_SEARCH": ("toolsets.concept_rag.debug_search", {"true": True, "no": False, " ": False}),
    "KNOWLEDGE_GRAPH_ENABLED": ("toolsets.agent_graph.active", {"true": True, "no": False, " ": True}),
}
"""The documented variables that toolsets read: the setting that each decides, and its value by that of the variable."""


def shown(key: str) -> tuple[object, str]:
    return next((each.value, each.source) for each in effective_settings(load()).values if each.key == key)


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_that_a_toolset_reads_is_the_source_of_its_setting(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    key, values = VARIABLES[variable]
    for text, value in values.items():
        monkeypatch.setenv(variable, text)
        assert shown(key) == (value, f"environment {variable}" if text.strip() else "default")
    (tmp_path / "entrepot.toml").write_text(f"[{key.rpartition('.')[0]}]\n{key.rpartition('.')[2]} = true\n")
    monkeypatch.setenv(variable, "no")
    assert shown(key) == (True, "entrepot.toml")
    ours = f"ENTREPOT_{key.upper().replace('.', '__')}"
    monkeypatch.setenv(ours, "true")
    assert shown(key) == (True, f"environment {ours}")


def test_a_wrong_option_of_a_store_hides_no_default_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_STORES__EMBEDDED__BUSY_TIMEOUT_S", "soon")
    assert shown("stores.embedded.busy_timeout_s") == ("soon", "environment ENTREPOT_STORES__EMBEDDED__BUSY_TIMEOUT_S")
    assert shown("stores.embedded.max_pages") == (None, "not set")


class PinnedSettings(BaseModel):
    """The name of the secret does not say that it is one."""

    pin: SecretStr = SecretStr("")


@asynccontextmanager
async def assemble(_services: Services) -> AsyncGenerator[RunningToolset]:
    yield RunningToolset(tools=())


PINNED = Toolset("pinned", "Pinned", "Pinned.", PinnedSettings, frozenset(), assemble)


@pytest.mark.parametrize(
    "wrong", ["[server]\nprot = 1\n", "profile = 'embeded'\n", "[toolsets.knowledge]\nnosuch = 1\n"]
)
def test_what_a_toolset_declares_as_a_secret_is_masked_although_another_setting_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    file = tmp_path / "entrepot.toml"
    file.write_text(f"{wrong}[toolsets.pinned]\npin = '4711'\n", encoding="utf-8")
    known = plugins.load

    def load_pinned(names: Iterable[str]) -> Sequence[Toolset]:
        return (PINNED,) if [*names] == ["pinned"] else known(names)

    monkeypatch.setattr(module, "load", load_pinned)
    values = given_settings(read(config_file=file))
    if "knowledge" in wrong:
        values = effective_settings(load(config_file=file)).values
    assert {each.key: each.value for each in values}["toolsets.pinned.pin"] == MASK
