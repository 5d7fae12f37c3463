"""Write the pages that are generated: docs/tools/reference.md from what the server publishes.

entrepot tools --json | python docs/generate.py
"""

import json
import sys
from pathlib import Path

PAGE = Path(__file__).parent / "tools" / "reference.md"
HEAD = """# Tools: reference

Generated from what the server publishes by `nox -s docs`; do not edit. The page of each toolset describes what its
tools mean, how they order results and what they refuse.
"""


def page(listing: str) -> str:
    """Return the page for a `tools/list` result as JSON."""
    return "\n".join([HEAD, *(section(tool) for tool in json.loads(listing)["tools"])])


def section(tool: dict) -> str:
    """Return the section of a tool."""
    lines = [f"## {tool['name']}", "", f"*{tool['title']}; {hints(tool['annotations'])}.* {tool['description']}", ""]
    properties = tool["inputSchema"].get("properties", {})
    if properties:
        required = tool["inputSchema"].get("required", [])
        lines += ["| argument | type | | |", "|---|---|---|---|"]
        lines += [row(name, schema, required=name in required) for name, schema in properties.items()]
    else:
        lines.append("No arguments.")
    answer = ", ".join(f"`{name}`" for name in tool["outputSchema"].get("properties", {}))
    return "\n".join([*lines, "", f"Answers with {answer}.", ""])


def row(name: str, schema: dict, *, required: bool) -> str:
    """Return the table row of an argument."""
    bounds = [
        f"{word} {schema[key]}"
        for key, word in (("minimum", "from"), ("maximum", "to"), ("minLength", "at least"), ("maxLength", "at most"))
        if key in schema
    ]
    if "enum" in schema:
        bounds.append("one of " + ", ".join(f"`{choice}`" for choice in schema["enum"]))
    if "default" in schema:
        bounds.append(f"default {json.dumps(schema['default'])}")
    need = "required" if required else "optional"
    type_ = schema.get("type", "")
    types = type_ if isinstance(type_, str) else " or ".join(type_)
    return f"| `{name}` | {types}, {need} | {', '.join(bounds)} | {schema.get('description', '')} |"


def hints(annotations: dict) -> str:
    """Return what a call does to the store, in words."""
    if annotations["readOnlyHint"]:
        return "reads only"
    words = ["may take away what was there" if annotations["destructiveHint"] else "only adds"]
    if annotations["idempotentHint"]:
        words.append("may be repeated")
    return ", ".join(words)


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
