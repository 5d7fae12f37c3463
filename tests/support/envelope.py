"""A plain error envelope for tests of what surrounds tools."""

from collections.abc import Sequence

from backends.ports.errors import StoreError
from backends.ports.values import JsonObject
from toolsets.spec import Problem, Reply, ToolError


class PlainEnvelope:
    """Words every error as `{success: false, error: <what went wrong>}`."""

    @property
    def properties(self) -> JsonObject:
        """The fields of an error."""
        return {"success": {"type": "boolean"}, "error": {"type": "string"}}

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Name the first argument."""
        return _error(f"invalid {problems[0].field}")

    def tool_error(self, error: ToolError) -> Reply:
        """Name the code."""
        return _error(error.code)

    def timed_out(self, seconds: float) -> Reply:
        """Name the deadline."""
        return Reply({"success": False, "error": "timeout", "seconds": seconds}, is_error=True)

    def too_large(self, limit: int) -> Reply:
        """Name the limit."""
        return Reply({"too_large": limit}, is_error=True)

    def failed(self, error: Exception) -> Reply:
        """Name the store's code, and nothing of another error."""
        return _error(error.code if isinstance(error, StoreError) else "internal_error")


def _error(error: str) -> Reply:
    return Reply({"success": False, "error": error}, is_error=True)
