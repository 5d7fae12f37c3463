"""Every rule of every published argument model has a sentence, made from pydantic's type of error and not from its English."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import pytest
from pydantic import ValidationError

from backends.ports.values import Json
from toolsets.agent_graph.tools import context, entities, extraction, maintenance, relationships
from toolsets.arguments import Arguments, BadArguments, parse
from toolsets.concept_rag.tools import categories, documents, guidance, visuals
from toolsets.concept_rag.tools import concepts as rag_concepts
from toolsets.concept_rag.tools import search as rag_search
from toolsets.knowledge.tools import analytics, concepts, search, system
from toolsets.knowledge.tools import relationships as knowledge_relationships
from toolsets.knowledge.tools import traversal as knowledge_traversal
from toolsets.memory.tools import entities as memory_entities
from toolsets.memory.tools import relationships as memory_relationships
from toolsets.memory.tools import search as memory_search
from toolsets.memory.tools import summary, traversal
from toolsets.skills.tools import lessons
from toolsets.skills.tools import search as skills_search
from toolsets.tools import Tool

AGENT_GRAPH = (context, entities, extraction, maintenance, relationships)
CONCEPT_RAG = (categories, documents, guidance, rag_concepts, rag_search, visuals)
KNOWLEDGE = (analytics, concepts, search, system, knowledge_relationships, knowledge_traversal)
MEMORY = (memory_entities, memory_relationships, memory_search, summary, traversal)
SKILLS = (lessons, skills_search)
WRONG: Sequence[Json] = (
    None, True, -1, 0, 10**12, 1.5, -1e9, "", " ", "x" * 300_000, "no such value", [], {}, [None], [5], [""],
    [[]], {"a": None}, ["x"] * 50_000, [{"unknown": 1}],
)  # fmt: skip


def models() -> Iterator[type[Arguments]]:
    for family in (*AGENT_GRAPH, *CONCEPT_RAG, *KNOWLEDGE, *MEMORY, *SKILLS):
        for tool in cast("Sequence[Tool[object, Arguments]]", family.TOOLS):
            yield tool.arguments


@pytest.mark.parametrize("model", [*models()], ids=lambda model: str(model.__name__))
def test_every_rule_that_an_argument_can_break_has_a_sentence(model: type[Arguments]) -> None:
    for name, field in model.model_fields.items():
        for value in WRONG:
            arguments: Mapping[str, Json] = {field.alias or name: value}
            try:
                parse(model, arguments)
            except BadArguments as bad:
                for problem in bad.problems:
                    assert not problem.sentence.endswith("is not valid"), (name, value, _kinds(model, arguments))
                    assert "Input" not in problem.sentence


def _kinds(model: type[Arguments], arguments: Mapping[str, Json]) -> list[str]:
    try:
        model.model_validate(arguments)
    except ValidationError as error:
        return [detail["type"] for detail in error.errors()]
    return []
