"""Tools: a handler with its models, and the specification for the gateway."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from pydantic import BaseModel

from toolsets.arguments import Arguments, tool_call
from toolsets.schemas import input_schema, output_schema
from toolsets.spec import DEADLINE_S, CallContext, Effects, Envelope, Reply, ToolSpec

RunningT = TypeVar("RunningT")
ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)
Handler: TypeAlias = Callable[[RunningT, ArgumentsT, CallContext], Awaitable[Reply]]

READS = Effects(read_only=True, idempotent=True)
ADDS = Effects(read_only=False)
REPEATABLE = Effects(read_only=False, idempotent=True)
"""Adds what is missing; repeating the call adds nothing."""
CHANGES = Effects(read_only=False, destructive=True, idempotent=True)


class NoArguments(Arguments):
    """The arguments of a tool without arguments."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[RunningT, ArgumentsT]):
    """A tool before it runs; its handler receives the running toolset, the arguments and the call."""

    name: str
    title: str
    description: str
    arguments: type[ArgumentsT]
    reply: type[BaseModel] | tuple[type[BaseModel], ...]
    """The model of its reply, or several if the document has several forms."""
    handler: Handler[RunningT, ArgumentsT]
    effects: Effects = READS
    deadline_s: float = DEADLINE_S

    def spec(self, running: RunningT, envelope: Envelope) -> ToolSpec:
        """Return the tool bound to the running toolset."""

        async def handle(arguments: ArgumentsT, context: CallContext) -> Reply:
            return await self.handler(running, arguments, context)

        return ToolSpec(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=input_schema(self.arguments),
            output_schema=output_schema(
                self.reply if isinstance(self.reply, tuple) else (self.reply,), error=envelope.properties
            ),
            effects=self.effects,
            call=tool_call(self.arguments, handle, envelope),
            envelope=envelope,
            deadline_s=self.deadline_s,
        )
