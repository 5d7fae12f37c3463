"""File Python's glossary as concepts and relations, then ask five questions.

    python docs/examples/python_glossary.py [GLOSSARY.html] [--first N] [--url http://127.0.0.1:8765/mcp]

The glossary comes with Debian's python3-doc, and is at docs.python.org/3/glossary.html. Where it
is neither given nor installed, the topics of Python's own help are filed instead. Without a URL a
server is started on a fresh directory under the system's temporary folder. Running it again on the same server adds nothing:
a term that is there already is found by the id in the refusal.
"""

import argparse
import asyncio
import sys
import tempfile
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from pydoc_data.topics import topics

from mcp import Client, StdioServerParameters

DEFAULT = Path("/usr/share/doc/python3/html/glossary.html")
MAX_TEXT = 20_000
QUESTIONS = (
    "How can a function remember where it stopped and go on later?",
    "Why can only one thread run Python code at a time?",
    "What must an object have to be used as a dictionary key?",
    "How do I tell readers and tools which type a variable should have?",
    "What is the difference between an argument and a parameter?",
)


@dataclass
class Term:
    """One entry of the glossary: its anchor, its heading, its text, and the anchors that the text points to."""

    anchor: str
    name: str = ""
    text: str = ""
    links: list[str] = field(default_factory=list)


class Glossary(HTMLParser):
    """Collects the entries of the page's definition list."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: list[Term] = []
        self._part: str | None = None
        self._depth = 0
        self._skip = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "dt" and (given.get("id") or "").startswith("term-"):
            self.terms.append(Term(given["id"] or ""))
            self._part = "name"
        elif tag == "dd" and self._part is not None:
            self._part, self._depth = "text", self._depth + 1
        elif tag == "a" and given.get("class") == "headerlink":
            self._skip = True
        elif tag == "a" and self._part == "text" and (given.get("href") or "").startswith("#term-"):
            self.terms[-1].links.append((given["href"] or "")[1:])

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._skip = False
        elif tag == "dd" and self._part == "text":
            self._depth -= 1
            if not self._depth:
                self._part = None

    def handle_data(self, data: str) -> None:
        if self._part is not None and not self._skip:
            term = self.terms[-1]
            setattr(term, self._part, getattr(term, self._part) + data)


def read_glossary(page: Path) -> list[Term]:
    """Return the terms that have a text, white space folded."""
    parser = Glossary()
    parser.feed(page.read_text(encoding="utf-8"))
    for term in parser.terms:
        term.name, term.text = " ".join(term.name.split()), " ".join(term.text.split())
    return [term for term in parser.terms if term.name and term.text]


def read_topics() -> list[Term]:
    """Return the topics of Python's help, which every Python has; one that another quotes is linked from it."""
    return [
        Term(name, name, " ".join(text.split())[:MAX_TEXT], [other for other in topics if f'"{other}"' in text])
        for name, text in topics.items()
    ]


def read_terms(given: Path | None) -> list[Term]:
    """Return the terms of the page given, of Debian's, or of Python's help. Ends in a sentence for a page that cannot be read."""
    if given is None and not DEFAULT.is_file():
        return read_topics()
    try:
        return read_glossary(given or DEFAULT)
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"{given} cannot be read: {error}") from None


async def file_concept(client: Client, term: Term) -> str:
    """Create the concept of a term, or find the one that is there; return its id."""
    arguments = {"name": term.name, "explanation": term.text, "area": "Programming", "topic": "Python glossary"}
    result = await client.call_tool("create_concept", arguments)
    reply = result.structured_content or {}
    if result.is_error:
        existing = reply.get("details", {}).get("resource_id")
        if existing is None:
            raise SystemExit(f"{term.name}: {reply.get('message')}")
        return existing
    return reply["concept_id"]


async def file_relations(client: Client, terms: list[Term], ids: dict[str, str]) -> int:
    """Relate each term to those its text points to; return how many relations are new."""
    pairs = dict.fromkeys((ids[term.anchor], ids[link]) for term in terms for link in term.links if link in ids)
    new = 0
    for source, target in pairs:
        if source != target:
            arguments = {"source_id": source, "target_id": target, "relationship_type": "relates_to"}
            result = await client.call_tool("create_relationship", arguments)
            new += not result.is_error
    return new


async def ask(client: Client, question: str) -> None:
    """Print the three closest concepts and what the first one is related to."""
    result = await client.call_tool("search_concepts_semantic", {"query": question, "limit": 3})
    hits = (result.structured_content or {})["results"]
    print(f"\n{question}")
    for hit in hits:
        print(f"  {hit['similarity']:.2f}  {hit['name']}")
    found = await client.call_tool("get_concept", {"concept_id": hits[0]["concept_id"]})
    print(f"  -> {(found.structured_content or {})['concept']['explanation'][:160]}")
    related = await client.call_tool("get_related_concepts", {"concept_id": hits[0]["concept_id"], "limit": 5})
    print(f"  see also: {', '.join(row['name'] for row in (related.structured_content or {})['results'])}")


async def main() -> None:
    """File, then ask."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("glossary", nargs="?", type=Path)
    words.add_argument("--url")
    words.add_argument("--first", type=int, metavar="N", help="file the first N terms only")
    given = words.parse_args()
    terms = read_terms(given.glossary)[: given.first]
    with tempfile.TemporaryDirectory() as directory:
        command = [
            "-m",
            "gateway.cli.main",
            "serve",
            "--transport",
            "stdio",
            "--toolsets",
            "knowledge",
            "--data-dir",
            directory,
        ]
        server = given.url or StdioServerParameters(command=sys.executable, args=command)
        async with Client(server) as client:
            ids = {term.anchor: await file_concept(client, term) for term in terms}
            relations = await file_relations(client, terms, ids)
            print(f"{len(ids)} concepts filed, {relations} relations new")
            for question in QUESTIONS:
                await ask(client, question)


def in_a_sentence(error: BaseException) -> str:
    """Return what went wrong first; the client's library raises errors in groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (
        str(error) if isinstance(error, SystemExit) else f"The server did not answer: {error or type(error).__name__}."
    )


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 whatever the library raises becomes a sentence
        sys.exit(in_a_sentence(error))
