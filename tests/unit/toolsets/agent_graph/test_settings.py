"""The documented variable switches the toolset off."""

import pytest

from toolsets.agent_graph.settings import AgentGraphSettings


@pytest.mark.parametrize(
    ("value", "active"),
    [
        *((value, True) for value in ("true", "TRUE", " true ", "1", "yes", "On", "", " ")),
        *((value, False) for value in ("false", "0", "Off", "disabled", "f", "n")),
    ],
)
def test_the_documented_variable_switches(monkeypatch: pytest.MonkeyPatch, value: str, *, active: bool) -> None:
    monkeypatch.setenv("KNOWLEDGE_GRAPH_ENABLED", value)
    assert AgentGraphSettings().active is active


def test_unset_the_graph_is_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KNOWLEDGE_GRAPH_ENABLED", raising=False)
    assert AgentGraphSettings().active
