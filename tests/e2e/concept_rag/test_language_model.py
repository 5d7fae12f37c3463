"""`entrepot ingest` with a language model over HTTP that describes pictures, refuses them, is cut off, overloaded and hangs."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest

from backends.ports.values import Json, JsonObject
from tests.support.chat import Asked, Chat, Reply, chat, fails, says
from tests.support.commands import entrepot
from tests.support.documents import docx, docx_image, docx_paragraph, png

CAPTION = "Circuit of a relay"
SEEN = "A battery, a switch and the coil of a relay are drawn in series."
RELAYS = (
    "A relay is a switch that a small current operates. It keeps two circuits apart, and its coil closes a contact. "
    * 4
)


def well(asked: Asked) -> Reply:
    """Answer as a model that sees and reads."""
    if asked.images:
        return says(json.dumps({"description": SEEN}))
    told = {"summary": RELAYS.strip()[:112], "concepts": ["relay", "coil", "circuit"], "categories": ["Electronics"]}
    return says(json.dumps(told))


class Library:
    """A folder with documents, each with its own pictures, and a data directory with a language model."""

    def __init__(self, place: Path, endpoint: Chat, *, timeout_s: float = 20.0) -> None:
        self.folder = place / "documents"
        self.folder.mkdir()
        self._config = place / "entrepot.toml"
        self._config.write_text(
            f"""
data_dir = "{place / "data"}"

[stores.chat]
kind = "openai_compatible"
base_url = "{endpoint.base_url}"
model = "m"

[toolsets.concept_rag]
language = "chat"
language_timeout_s = {timeout_s}
"""
        )

    def write(self, name: str, text: str, *, seeds: Sequence[int]) -> None:
        body = [docx_paragraph(text)]
        body += [docx_paragraph("", content=docx_image(f"i{seed}", alternative=CAPTION)) for seed in seeds]
        media = {f"i{seed}": png(seed=seed) for seed in seeds}
        (self.folder / name).write_bytes(docx(body, title=f"Relays in {name}", media=media))

    async def run(self, *words: str) -> tuple[Sequence[JsonObject], str]:
        """Run a command; return the objects that it prints, and what it logs."""
        done = await entrepot(*words, "--config", str(self._config))
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], done.stderr

    async def ingest(self) -> tuple[Mapping[str, JsonObject], str]:
        """Ingest the folder; return the reports by file name, and what is logged."""
        lines, logged = await self.run("ingest", "--json", str(self.folder))
        return {Path(str(line["path"])).name: line for line in lines if "path" in line}, logged

    async def descriptions(self) -> list[str]:
        """Return the descriptions of all visuals."""
        done = await entrepot("call", "get_visuals", "--config", str(self._config))
        assert done.returncode == 0, done.stderr
        visuals = cast("Sequence[Mapping[str, Json]]", json.loads(done.stdout)["visuals"])
        return [str(visual["description"]) for visual in visuals]


async def test_pictures_are_described_once_and_a_rebuild_asks_nothing(tmp_path: Path) -> None:
    with chat(well) as endpoint:
        library = Library(tmp_path, endpoint)
        library.write("a.docx", RELAYS, seeds=[1, 2])
        reports, _ = await library.ingest()
        assert reports["a.docx"]["visuals"] == 2
        assert str(reports["a.docx"]["reason"]).endswith("By the language model m: descriptions of 2 of 2 pictures.")
        assert await library.descriptions() == [f"{CAPTION}. {SEEN}"] * 2
        assert [len(asked.images) for asked in endpoint.asked] == [0, 1, 1]
        library.write("a.docx", f"{RELAYS} A third picture shows a latch.", seeds=[1, 2, 3])
        await library.ingest()
        assert [len(asked.images) for asked in endpoint.asked[3:]] == [0, 1]
        assert endpoint.asked[-1].images not in [each.images for each in endpoint.asked[:-1]], (
            "only the new one is sent"
        )
        asked = len(endpoint.asked)
        await library.run("rebuild", "--toolset", "concept_rag")
        assert await library.descriptions() == [f"{CAPTION}. {SEEN}"] * 3
        assert len(endpoint.asked) == asked


def refuses(_: Asked) -> Reply:
    return fails(400, "image_url is not supported by this model")


def cut(_: Asked) -> Reply:
    return says('{"description": "A batt', finish="length")


def overloaded(_: Asked) -> Reply:
    return fails(503, "overloaded")


@pytest.mark.parametrize("answering", [refuses, cut, overloaded], ids=["refusing", "cut-off", "overloaded"])
async def test_a_model_that_does_not_see_costs_the_captions_nothing(
    tmp_path: Path, answering: Callable[[Asked], Reply]
) -> None:
    with chat(lambda asked: answering(asked) if asked.images else well(asked)) as endpoint:
        library = Library(tmp_path, endpoint)
        for number, name in enumerate(("a.docx", "b.docx", "c.docx")):
            library.write(name, f"{RELAYS} Part {name}.", seeds=range(number * 3 + 1, number * 3 + 4))
        reports, logged = await library.ingest()
        assert {str(report["status"]) for report in reports.values()} == {"added"}
        assert {str(report["reason"]) for report in reports.values()} == {
            "By the language model m: summary, concepts, categories."
        }, "texts are still described"
        assert await library.descriptions() == [CAPTION] * 9
        assert logged.count("pictures keep their captions") == 1
        assert len({asked.images[0] for asked in endpoint.asked if asked.images}) == 3


async def test_a_model_that_hangs_over_pictures_is_not_waited_for(tmp_path: Path) -> None:
    with chat(well) as endpoint:

        def late(asked: Asked) -> Reply:
            if asked.images:
                endpoint.ended.wait(30)
            return well(asked)

        endpoint.answering = late
        # Longer than it takes to load the client on a busy machine, which the first question does.
        library = Library(tmp_path, endpoint, timeout_s=4.0)
        library.write("a.docx", RELAYS, seeds=[1, 2, 3, 4])
        reports, logged = await library.ingest()
        assert reports["a.docx"]["status"] == "added"
        assert "took longer than 4 seconds" in logged
        assert await library.descriptions() == [CAPTION] * 4
        endpoint.ended.set()
