"""Make toolsets/skills/extraction/lexicon/verbs.txt again from the WordNet that the concept_rag toolset ships.

    python docs/chores/build_verbs.py OUTPUT_FILE

Each line has the base form of a verb of one word. A verb that is also a noun has a number after it: the percentage of its uses in
WordNet's tagged texts that are nouns.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from toolsets.concept_rag.wordnet.lexicon import wordnet


def lines() -> Iterator[str]:
    """Yield the lines of the list."""
    words = wordnet()
    for lemma in words.lemmas("v"):
        usage = words.usage(lemma)
        if usage is not None and lemma.isascii() and lemma.replace("-", "").isalpha():
            yield f"{lemma} {usage.noun_share:.0%}".rstrip("%") if "n" in usage.parts else lemma


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("".join(f"{line}\n" for line in lines()), encoding="utf-8")
