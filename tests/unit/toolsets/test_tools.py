"""A tool is bound to its running toolset, with the schemas of its models."""

from pydantic import BaseModel

from tests.support.envelope import PlainEnvelope
from toolsets.arguments import Arguments
from toolsets.schemas import input_schema, output_schema
from toolsets.spec import CallContext, Reply
from toolsets.tools import CHANGES, Tool


class Greet(Arguments):
    name: str


class Greeting(BaseModel):
    text: str


async def greet(running: str, arguments: Greet, context: CallContext) -> Reply:
    return Reply({"text": f"{running} {arguments.name} ({context.tool})"})


GREET = Tool("greet", "Greet", "Says a name.", Greet, Greeting, greet, CHANGES, deadline_s=3.0)


async def test_a_tool_calls_its_handler_with_the_running_toolset() -> None:
    spec = GREET.spec("Hello", PlainEnvelope())
    reply = await spec.call({"name": "Ada"}, CallContext("greet"))
    assert (reply.is_error, reply.structured) == (False, {"text": "Hello Ada (greet)"})


async def test_arguments_that_break_a_rule_are_answered_in_the_envelope() -> None:
    reply = await GREET.spec("Hello", PlainEnvelope()).call({"nam": "Ada"}, CallContext("greet"))
    assert reply.is_error
    assert str(reply.structured["error"]).startswith("invalid nam")


def test_a_tool_publishes_the_schemas_of_its_models_and_of_its_errors() -> None:
    envelope = PlainEnvelope()
    spec = GREET.spec("Hello", envelope)
    assert (spec.name, spec.title, spec.effects, spec.deadline_s) == ("greet", "Greet", CHANGES, 3.0)
    assert spec.input_schema == input_schema(Greet)
    assert spec.output_schema == output_schema((Greeting,), error=envelope.properties)
