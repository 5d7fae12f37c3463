"""Measure the library of books: python -m tests.bench.library [--keep DIRECTORY] [--questions FILE]."""

import argparse
import asyncio
from pathlib import Path

from tests.bench.library.books import FOLDER, nonsense, questions
from tests.bench.library.quality import DOCUMENT, PASSAGE, answered, catalog, ingested, opened, passages, twins

DEFAULT = Path.home() / ".cache" / "entrepot-bench" / "library"


async def quality(keep: Path, file: Path) -> None:
    """Print the tables of quality."""
    asked = questions(file)
    keep.mkdir(parents=True, exist_ok=True)
    pdf, epub = await ingested(keep, "pdf"), await ingested(keep, "epub")
    async with opened(pdf) as library:
        found = await passages(library, asked)
        print(f"\n{PASSAGE.table(found)}\n\n{DOCUMENT.table(await catalog(library, asked))}\n")
        for outcome in found:
            if not PASSAGE.hits([outcome], "full_match", 1.0)[0]:
                print(f"not found: {outcome.question.ask} ({outcome.question.document} {outcome.question.pages})")
        for about_nothing in (nonsense(), nonsense(FOLDER / "nothing_unseen.toml")):
            print("\n".join(await answered(library, about_nothing)))
        async with opened(epub) as other:
            differing = await twins(library, other, asked)
    print(f"\nanother first document from EPUB than from PDF: {len(differing)}")
    print("\n".join(differing))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.library")
    parser.add_argument("--keep", type=Path, default=DEFAULT, help="where packages and libraries are kept")
    parser.add_argument("--questions", type=Path, default=FOLDER / "questions.toml", help="a file of questions")
    chosen = parser.parse_args()
    asyncio.run(quality(chosen.keep, chosen.questions))
