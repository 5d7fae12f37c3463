"""The interface between a toolset and the gateway, public: the hook, and the descriptions that it returns."""

from toolsets.spec.calls import DEADLINE_S, CallContext, Envelope, Image, Problem, ProblemKind, Reply, ToolError
from toolsets.spec.commands import COMMAND_POINTS, READ_ONLY, CommandSpec, ReadOnlyFlag
from toolsets.spec.routes import HttpReply, HttpRequest, RouteEnvelope, RouteSpec
from toolsets.spec.surface import Effects, ResourceNotFound, ResourceSpec, ResourceTemplateSpec, ToolCall, ToolSpec
from toolsets.spec.toolset import (
    ENTRY_POINTS,
    PROJECT,
    BackgroundTask,
    DefaultFrom,
    RunningToolset,
    Services,
    Toolset,
    ToolsetHealth,
    ToolsetHooks,
    hookimpl,
    hookspec,
)

__all__ = [
    "COMMAND_POINTS",
    "DEADLINE_S",
    "ENTRY_POINTS",
    "PROJECT",
    "READ_ONLY",
    "BackgroundTask",
    "CallContext",
    "CommandSpec",
    "DefaultFrom",
    "Effects",
    "Envelope",
    "HttpReply",
    "HttpRequest",
    "Image",
    "Problem",
    "ProblemKind",
    "ReadOnlyFlag",
    "Reply",
    "ResourceNotFound",
    "ResourceSpec",
    "ResourceTemplateSpec",
    "RouteEnvelope",
    "RouteSpec",
    "RunningToolset",
    "Services",
    "ToolCall",
    "ToolError",
    "ToolSpec",
    "Toolset",
    "ToolsetHealth",
    "ToolsetHooks",
    "hookimpl",
    "hookspec",
]
