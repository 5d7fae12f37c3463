"""Joining the tools to the running toolset: the switch before everything, the tool's own envelope around it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from backends.ports.values import Json, JsonObject
from toolsets.agent_graph.errors import REFUSALS, GraphEnvelope
from toolsets.agent_graph.runtime import AgentGraph
from toolsets.agent_graph.tools.fields import Success
from toolsets.making import Tool
from toolsets.parsing import Arguments
from toolsets.spec import CallContext, Reply, ToolSpec

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)

NOTHING: JsonObject = {}


def joined(graph: AgentGraph, tool: Tool[AgentGraph, ArgumentsT]) -> ToolSpec:
    """Return a tool that refuses everything while the graph is switched off, and words what ends a call."""
    form = tool.reply
    payload: JsonObject = form.nothing if isinstance(form, type) and issubclass(form, Success) else NOTHING
    envelope = GraphEnvelope(tool.name, payload)
    spec = tool.spec(graph, envelope)

    async def call(arguments: Mapping[str, Json], context: CallContext) -> Reply:
        if not graph.settings.active:
            return envelope.says("Knowledge Graph is disabled")
        try:
            return await spec.call(arguments, context)
        except REFUSALS as refusal:
            return envelope.failed(refusal)

    return replace(spec, call=call)
