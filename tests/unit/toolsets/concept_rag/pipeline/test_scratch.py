"""Vectors of a document that is being embedded are kept for the next run."""

import os
from pathlib import Path

import numpy

from backends.ports.vectors import text_hash
from tests.support.documents import png
from toolsets.concept_rag.ingestion.document import ParsedDocument, Picture
from toolsets.concept_rag.pipeline.pictures import store_pictures
from toolsets.concept_rag.pipeline.scratch import KEPT_S, VectorScratch, remove_old

ROWS = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)


HASHES = [text_hash(text) for text in ("a", "b", "c")]


def test_vectors_of_an_unfinished_document_come_back(tmp_path: Path) -> None:
    scratch = VectorScratch(tmp_path, "content", "model")
    scratch.append(HASHES[:2], ROWS[:2])
    scratch.append(HASHES[2:], ROWS[2:])
    known = VectorScratch(tmp_path, "content", "model").load(4)
    assert {key: list(row) for key, row in known.items()} == {
        key: list(row) for key, row in zip(HASHES, ROWS, strict=True)
    }
    assert VectorScratch(tmp_path, "content", "other model").load(4) == {}
    assert VectorScratch(tmp_path, "other content", "model").load(4) == {}
    scratch.remove()
    assert scratch.load(4) == {}


def test_a_torn_or_damaged_end_of_a_scratch_file_is_left_out(tmp_path: Path) -> None:
    scratch = VectorScratch(tmp_path, "content", "model")
    scratch.append(HASHES, ROWS)
    (path,) = tmp_path.glob("scratch/*")
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert list(scratch.load(4)) == HASHES[:2]
    path.write_bytes(whole[:60] + b"?" + whole[61:])
    assert list(scratch.load(4)) == HASHES[:1]


def test_scratch_files_of_unfinished_documents_are_removed_after_a_week(tmp_path: Path) -> None:
    for name in ("old", "new"):
        VectorScratch(tmp_path, name, "model").append(HASHES, ROWS)
    old, new = sorted(tmp_path.glob("scratch/*"))
    os.utime(old, (0, old.stat().st_mtime - KEPT_S - 60))
    remove_old(tmp_path)
    assert list(tmp_path.glob("scratch/*")) == [new]


def document(*pictures: Picture) -> ParsedDocument:
    return ParsedDocument("text", "Relays", "", "", 1, (), pictures)


def test_without_a_directory_nothing_is_kept(tmp_path: Path) -> None:
    scratch = VectorScratch(None, "content", "model")
    scratch.append(HASHES, ROWS)
    assert scratch.load(4) == {}
    _, stored = store_pictures(document(Picture(png(), 1, "figure", "", "", 160, 120)), None)
    assert stored == ()
