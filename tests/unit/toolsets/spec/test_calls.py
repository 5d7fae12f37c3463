"""The context of a call, and the error that ends one."""

from toolsets.spec import CallContext, ToolError


def test_an_error_has_its_code_message_and_details() -> None:
    error = ToolError("not_found", "There is none", resource_id="x")
    assert (error.code, error.message, error.details) == ("not_found", "There is none", {"resource_id": "x"})
    assert ToolError("not_found").message == ""


def test_a_tool_is_named_as_the_caller_knows_it() -> None:
    context = CallContext("search", served_names={"search": "knowledge_search"})
    assert (context.served_name("search"), context.served_name("ping")) == ("knowledge_search", "ping")
