"""A library of many chunks, the definitions of nouns by WordNet, and twenty questions to it."""

import random
from collections.abc import Generator
from pathlib import Path
from typing import Final

from backends.ports.values import JsonObject
from contracts.corpus import seeded
from contracts.documents import markdown
from contracts.sessions import Session, SessionStep, step
from contracts.tools.concept_rag.session import ingest_into
from toolsets.concept_rag.wordnet import wordnet
from toolsets.spec import RunningToolset

DOCUMENTS: Final = 12
_PARAGRAPHS: Final = 40
_ENTRIES: Final = 10

QUESTIONS: Final = (
    "a person who sells goods in a shop",
    "a small sailing boat with one mast",
    "disease of plants caused by a fungus",
    "instrument for measuring pressure",
    "the branch of medicine concerned with the heart",
    "tropical tree with hard wood",
    "a tool for cutting wood or metal",
    "church officer in the middle ages",
    "what is a coin of the Roman empire",
    "cloth woven of wool",
    "the legal right to use land",
    "small bird with a short bill",
    "an acid used in making dyes",
    "room in which food is cooked",
    "money paid for the use of a loan",
    "a river that flows into the sea",
    "inflammation of a joint",
    "game played with a ball on a court",
    "a building where ships are repaired",
    "written agreement between two states",
)


def _script(_: random.Random) -> Generator[SessionStep, JsonObject, None]:
    for text in QUESTIONS:
        for tool in ("broad_chunks_search", "catalog_search"):
            yield step(tool, {"text": text})


def _write(folder: Path) -> None:
    rng = seeded(7)
    lexicon = wordnet()
    nouns = rng.sample([lemma for lemma in lexicon.lemmas("n") if lemma.isalpha()], DOCUMENTS * _PARAGRAPHS * _ENTRIES)
    entries = [f"{noun.capitalize()}: {lexicon.definition(noun, 'n')}." for noun in nouns]
    paragraphs = [" ".join(entries[start : start + _ENTRIES]) for start in range(0, len(entries), _ENTRIES)]
    folder.mkdir(parents=True)
    for number in range(DOCUMENTS):
        title = f"Glossary, Volume {number + 1}"
        body = "\n\n".join(paragraphs[number::DOCUMENTS])
        (folder / f"glossary-{number + 1}.md").write_bytes(markdown(f"# {title}\n\n{body}", title=title))


async def _prepare(running: RunningToolset, data: Path) -> None:
    folder = data / "documents"
    _write(folder)
    await ingest_into(running, folder)


GLOSSARY: Final = Session("concept_rag", _script, 2 * len(QUESTIONS), prepare=_prepare)
