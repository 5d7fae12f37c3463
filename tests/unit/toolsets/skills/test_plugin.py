"""What a client is told before it calls: three tools, five routes, a resource template and two commands."""

import json
import subprocess
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

from backends.stores import OpenStores
from tests.support.toolsets.skills import joined


async def test_everything_is_listed_without_opening_a_store(tmp_path: Path) -> None:
    async with joined(OpenStores({}, tmp_path).stores()) as instance:
        running = instance.running
    assert [tool.name for tool in running.tools] == ["search_skills", "create_skill", "update_skill"]
    assert {(route.method, route.path) for route in running.routes} == {
        ("POST", "/search"),
        ("POST", "/create"),
        ("POST", "/update"),
        ("GET", "/health"),
        ("GET", "/openapi.json"),
    }
    assert [each.uri_template for each in running.resource_templates] == ["skills://{skill_id}"]
    assert [spec.command.name for spec in running.commands] == ["list", "show"]
    assert [*tmp_path.iterdir()] == []
    for tool in running.tools:
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["additionalProperties"] is False
    size = len(json.dumps([[t.description, t.input_schema, t.output_schema] for t in running.tools]))
    assert size < 6_000, "about 1,500 tokens"


def test_the_rules_for_conversations_are_not_loaded_at_the_start() -> None:
    statement = "import sys, toolsets.skills.plugin; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", statement], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "toolsets.skills.tools.lessons" in loaded
    heavy = ("extraction.offline", "feedback", "redaction", "refinement", "sameness", "transcript.reader")
    assert not loaded & {f"toolsets.skills.{name}" for name in heavy}, "their patterns take a second to compile"
