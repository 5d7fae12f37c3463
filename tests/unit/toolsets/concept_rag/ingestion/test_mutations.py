"""Damaged, cut, nested and renamed files of all formats go through the real processes; none ends or blocks the run."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.support.documents import archive, docx, docx_image, docx_paragraph, epub, page, png, samples
from toolsets.concept_rag.ingestion.document import NotADocument, Unreadable
from toolsets.concept_rag.ingestion.files import FoundFile, scan
from toolsets.concept_rag.ingestion.pool import ParserLimits, ParserPool

PEAK = 10**9
"""Bytes of memory that all parsers together stay below."""


def originals() -> dict[str, bytes]:
    book = epub([page("<h1>One</h1><p>text <img src='a.png'/></p>" * 30)], files={"text/a.png": png()})
    word = docx([docx_paragraph("text", content=docx_image("i")), docx_paragraph("more")] * 20, media={"i": png()})
    return {**samples(), "pictured.epub": book, "pictured.docx": word}


def mutations(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    files = originals()
    for name, data in files.items():
        for number in range(10):
            yield f"flipped-{number}-{name}", _flipped(data, rng, number + 1)
        for number in range(6):
            yield f"cut-{number}-{name}", data[: rng.randrange(1, len(data))]
        for number in range(4):
            start = rng.randrange(len(data))
            yield f"hole-{number}-{name}", data[:start] + data[start + rng.randrange(1, 200) :]
        yield f"nested-{name}", archive({"inner.zip": archive({name: data}), name: data})
        yield f"doubled-{name}", data + data
        yield f"prefixed-{name}", b"\xff\xfe\0garbage" + data
        for ending in (".txt", ".md", ".html", ".epub", ".docx", ".pdf"):
            yield f"renamed-{name}{ending}", data
    yield from bombs()


def _flipped(data: bytes, rng: random.Random, times: int) -> bytes:
    changed = bytearray(data)
    for _ in range(times):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def bombs() -> Iterator[tuple[str, bytes]]:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    declared = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>'
    yield "zeros.epub", epub([page("<p>x</p>")], files={"text/1.xhtml": bytes(40 << 20)})
    yield "zeros.docx", archive({"word/document.xml": bytes(40 << 20)})
    yield "laughs.epub", epub([f"{declared}<p>&l11;</p>"])
    yield "laughs.docx", archive({"word/document.xml": f"{declared}<x>&l11;</x>".encode()})
    yield "deep.html", b"<div>" * 10_000
    yield "deep.md", b">" * 5_000 + b" x\n"
    yield "brackets.md", b"[" * 10_000 + b"](" * 1_000
    yield "deep.docx", archive({"word/document.xml": b"<a>" * 100_000})
    yield "wide.html", b"<p>" * 100_000
    yield "outside.epub", epub([page("<p>x</p><img src='../../../../etc/passwd'/>")], files={"../../../x": b"y"})
    yield "linked.epub", archive({"a.opf": b"<package/>"}, links={"META-INF/container.xml": "/etc/passwd"})


async def test_no_mutated_file_ends_or_blocks_the_run(tmp_path: Path) -> None:
    names: set[str] = set()
    for name, data in mutations(random.Random(20)):
        names.add(name)
        (tmp_path / name).write_bytes(data)
    outcomes: Counter[str] = Counter()
    unexpected: list[str] = []
    peak = 0
    async with ParserPool(limits=ParserLimits(max_seconds=30)) as pool:
        for file in scan([tmp_path]):
            if not isinstance(file, FoundFile):
                continue
            try:
                document = await pool.parse(file.path)
            except Unreadable as error:
                outcomes[error.kind] += 1
                if error.kind in {"crashed", "too_slow", "too_large"} and not file.path.name.endswith(".pdf"):
                    unexpected.append(f"{file.path.name}: {error.reason}")
            except NotADocument as error:
                outcomes[error.kind] += 1
            else:
                outcomes["parsed"] += 1
                assert document.blocks
            peak = max(peak, _peak_of_children())
    assert len(names) >= 200
    assert outcomes.total() == len(names)
    assert outcomes["parsed"] >= 50
    assert outcomes["damaged"] >= 50
    assert outcomes["bomb"] >= 2
    assert unexpected == []
    assert peak < PEAK


def _peak_of_children() -> int:
    """The most memory that the processes below this one have had, 0 where the system does not tell."""
    total = 0
    for child in psutil.Process().children():
        status = Path(f"/proc/{child.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    return total
