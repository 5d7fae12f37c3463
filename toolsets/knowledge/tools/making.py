"""Making a tool: from a handler and its models to what the gateway is told."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from pydantic import BaseModel

from toolsets.knowledge.errors import ENVELOPE, REQUIRED_OF_ERRORS
from toolsets.knowledge.runtime import Knowledge
from toolsets.parsing import Arguments, tool_call
from toolsets.schemas import input_schema, output_schema
from toolsets.spec import CallContext, Effects, Reply, ToolSpec

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)
Handler: TypeAlias = Callable[[Knowledge, ArgumentsT, CallContext], Awaitable[Reply]]

READS = Effects(read_only=True, idempotent=True)
ADDS = Effects(read_only=False)
CHANGES = Effects(read_only=False, destructive=True, idempotent=True)


class NoArguments(Arguments):
    """A tool that takes nothing."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[ArgumentsT]):
    """A tool before it runs."""

    name: str
    title: str
    description: str
    arguments: type[ArgumentsT]
    reply: type[BaseModel]
    handler: Handler[ArgumentsT]
    effects: Effects = READS

    def spec(self, knowledge: Knowledge) -> ToolSpec:
        """Return the tool joined to the running toolset."""

        async def handle(arguments: ArgumentsT, context: CallContext) -> Reply:
            return await self.handler(knowledge, arguments, context)

        return ToolSpec(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=input_schema(self.arguments),
            output_schema=output_schema(self.reply, error_required=REQUIRED_OF_ERRORS),
            effects=self.effects,
            call=tool_call(self.arguments, handle, ENVELOPE),
            envelope=ENVELOPE,
        )
