"""The guidance tool: which tool to use when."""

from typing import Annotated, Final, Literal

from pydantic import Field

from toolsets.arguments import Arguments
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.tools.documents import Markdown
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool

Topic = Literal["rules", "tool-selection", "all"]

_RULES: Final = """\
# Rules

1. Begin with a question in the user's own words: `{broad_chunks_search}` searches all documents. Cite title and page.
2. To learn which documents there are on a subject, use `{catalog_search}`; its `catalog_id` leads to `{chunks_search}`, which
   searches one document, contents and references included.
3. A concept is a term of the library, such as "source package". `{concept_search}` shows all that is known of one;
   when it answers CONCEPT_NOT_FOUND, ask `{broad_chunks_search}`.
4. Scores compare results of one reply only. An empty list means that the library has nothing on the question: say so.
5. Ids are numbers; pass them on as they are. They stay the same when a document is ingested again.
6. Documents come in from the command line (`entrepot ingest PATH`); no tool changes the library.
"""
_SELECTION: Final = """\
# Which tool

| you want | use | then |
|---|---|---|
| an answer to a question | `{broad_chunks_search}` | `{chunks_search}` within the best document |
| documents on a subject | `{catalog_search}` | `{chunks_search}`, `{extract_concepts}` |
| an answer from one document | `{chunks_search}` with its `catalog_id` | |
| where a concept occurs, and what goes with it | `{concept_search}` | `{get_visuals}` with its `image_ids` |
| documents that deal with any of several concepts | `{source_concepts}` | |
| documents of each of several concepts, listed separately | `{concept_sources}` | |
| the concepts of a document | `{extract_concepts}`, as JSON or Markdown | `{concept_search}` |
| what subjects there are | `{list_categories}` | `{category_search}`, `{list_concepts_in_category}` |
| documents of a subject area | `{category_search}` | `{chunks_search}` with their `catalog_id` |
| figures, tables, charts, diagrams | `{get_visuals}` by document, type or concept | |
| this page | `{get_guidance}` | |
"""
_NAMES: Final = (
    "catalog_search",
    "broad_chunks_search",
    "chunks_search",
    "concept_search",
    "extract_concepts",
    "source_concepts",
    "concept_sources",
    "category_search",
    "list_categories",
    "list_concepts_in_category",
    "get_visuals",
    "get_guidance",
)


class GetGuidance(Arguments):
    """The topic of the guidance."""

    topic: Annotated[Topic, Field(description="The rules, a table of tools by purpose, or both.")] = "rules"


async def get_guidance(library: Library, arguments: GetGuidance, context: CallContext) -> Reply:
    """Return the guidance in Markdown, with the tool names of the caller's surface."""
    served = {name: context.served_name(name) for name in _NAMES}
    pages = {"rules": (_RULES,), "tool-selection": (_SELECTION,), "all": (_RULES, _SELECTION)}[arguments.topic]
    text = "\n".join(pages).format_map(served)
    return Reply({"result": text}, text=text)


TOOLS = (
    Tool(
        "get_guidance",
        "Guidance",
        "Tell which tool of the library to use when, in Markdown: the rules, the table for choosing a tool, or both.",
        GetGuidance,
        Markdown,
        get_guidance,
    ),
)
