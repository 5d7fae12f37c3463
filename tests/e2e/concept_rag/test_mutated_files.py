"""More than two hundred damaged files of all formats through the command: a line each, and the rest goes on."""

import json
import random
from collections import Counter
from pathlib import Path

from contracts.promises import promise
from tests.support.commands import entrepot
from tests.support.documents import markdown
from tests.unit.toolsets.concept_rag.ingestion.test_mutations import mutations

PATIENCE_S = 300.0


@promise("concept_rag:ingest:damaged")
async def test_no_mutated_file_ends_the_run_and_the_next_one_passes_over_them(tmp_path: Path) -> None:
    """Each file has one line; the second run says the same of them and adds nothing; what is sound can be found."""
    folder, place = tmp_path / "documents", ("--data-dir", str(tmp_path / "data"))
    folder.mkdir()
    names = {"sound.md"}
    (folder / "sound.md").write_bytes(markdown("The lighthouse keeper trims the wick.", title="Lighthouses"))
    for name, content in mutations(random.Random(21)):
        names.add(name)
        (folder / name).write_bytes(content)
    statuses: list[dict[str, str]] = []
    for _ in range(2):
        done = await entrepot("ingest", str(folder), "--json", *place, patience_s=PATIENCE_S)
        assert done.returncode == 1, done.stderr
        *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
        found = {Path(line["path"]).name: str(line["status"]) for line in lines}
        assert found.keys() == names
        assert len(lines) == len(names)
        assert all(line.get("reason") for line in lines if line["status"] in {"failed", "skipped"})
        assert Counter(found.values()) == Counter({name: last["summary"][name] for name in {*found.values()}})
        statuses.append(found)
    first, second = statuses
    assert len(names) > 200
    assert first["sound.md"] == "added"
    assert {*second.values()} <= {"unchanged", "failed", "skipped"}
    assert second == {
        name: status if status in {"failed", "skipped"} else "unchanged" for name, status in first.items()
    }
    check = await entrepot("check", "--json", *place)
    assert json.loads(check.stdout)["toolsets"]["concept_rag"]["problems"] == []
