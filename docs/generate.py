"""Write the pages that are generated: the reference from what the server publishes, the categories from their file.

entrepot tools --json | python docs/generate.py
"""

import json
import sys
import tomllib
from pathlib import Path

PAGE = Path(__file__).parent / "tools" / "reference.md"
HEAD = """# Tools: reference

Generated from what the server publishes by `nox -s docs`; do not edit. The page of each toolset describes what its
tools mean, how they order results and what they refuse. After the title of a tool stands what its annotations say: whether
it only reads, only adds (be it counts and times of reads) or may overwrite or delete, and whether a repeated call with the
same arguments changes nothing further.
"""

TAXONOMY = Path(__file__).parents[1] / "toolsets" / "concept_rag" / "taxonomy" / "taxonomy.toml"
CATEGORIES = Path(__file__).parent / "tools" / "categories.md"
CATEGORIES_HEAD = """# Shipped categories

Generated from `toolsets/concept_rag/taxonomy/taxonomy.toml` by `nox -s docs`; do not edit.
A category's aliases are in brackets. [Your own categories](concept_rag.md#your-own-categories) says how to extend and refine
them.
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
    return "\n".join([*lines, "", f"Fields of replies and errors: {answer}.", ""])


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
    return f"| `{name}` | {types(schema)}, {need} | {', '.join(bounds)} | {schema.get('description', '')} |"


def types(schema: dict) -> str:
    """Return the types of an argument's values."""
    type_ = schema.get("type", [types(each) for each in schema.get("anyOf", ())])
    return type_ if isinstance(type_, str) else " or ".join(type_)


def hints(annotations: dict) -> str:
    """Return what a call does to the store, in words."""
    if annotations["readOnlyHint"]:
        return "reads only"
    words = ["may overwrite or delete" if annotations["destructiveHint"] else "only adds"]
    if annotations["idempotentHint"]:
        words.append("may be repeated")
    return ", ".join(words)


def categories(taxonomy: str) -> str:
    """Return the page of the shipped categories as a nested list."""
    tables = sorted(tomllib.loads(taxonomy)["category"], key=lambda table: table["name"].casefold())

    def below(parent: str | None, depth: int) -> list[str]:
        lines = []
        for table in tables:
            if table.get("parent") == parent:
                aliases = f" ({', '.join(table['aliases'])})" if table.get("aliases") else ""
                lines.append(f"{'  ' * depth}- **{table['name']}**{aliases}: {table['description']}")
                lines += below(table["name"], depth + 1)
        return lines

    return "\n".join([CATEGORIES_HEAD, *below(None, 0), ""])


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
    CATEGORIES.write_text(categories(TAXONOMY.read_text(encoding="utf-8")), encoding="utf-8")
