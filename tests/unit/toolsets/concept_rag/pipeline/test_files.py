"""What the pipeline keeps in files, and what it knows of paths."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest

from backends.ports.vectors import text_hash
from tests.support.documents import png
from toolsets.concept_rag.ingestion.document import ParsedDocument, Picture
from toolsets.concept_rag.pipeline.pictures import descriptions, idle_pictures, remove_pictures, store_pictures
from toolsets.concept_rag.pipeline.places import file_path, is_below, is_gone, older_than, recorded_path, with_parents
from toolsets.concept_rag.pipeline.scratch import KEPT_S, VectorScratch, remove_old

ROWS = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
HASHES = [text_hash(text) for text in ("a", "b", "c")]


def document(*pictures: Picture) -> ParsedDocument:
    return ParsedDocument("text", "Relays", "", "", 1, (), pictures)


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


def test_without_a_directory_nothing_is_kept(tmp_path: Path) -> None:
    scratch = VectorScratch(None, "content", "model")
    scratch.append(HASHES, ROWS)
    assert scratch.load(4) == {}
    _, stored = store_pictures(document(Picture(png(), 1, "figure", "", "", 160, 120)), None)
    assert stored == ()


def test_equal_images_share_a_file_and_are_numbered(tmp_path: Path) -> None:
    shown = [Picture(png(), page, "figure", "", "Text  around\nit", 160, 120) for page in (1, 2)]
    bare, stored = store_pictures(document(*shown, Picture(png(seed=2), 3, "chart", "", "", 160, 120)), tmp_path)
    assert bare.pictures == ()
    assert len(list(tmp_path.glob("pictures/*/*.png"))) == 2
    assert [(occurrence, description) for _, occurrence, description in descriptions(stored, "Relays", {})] == [
        (0, "Text around it"),
        (1, "Text around it"),
        (0, "Chart on page 3 of Relays"),
    ]
    assert all(each.picture.png == b"" for each in stored)


def test_a_description_begins_with_a_sentence(tmp_path: Path) -> None:
    texts = ["put out, e.g. in May. A beta follows. It is", "without any end", "1 k R A0 GND", "It is. So it is."]
    pictures = [Picture(png(seed=place), 1, "figure", "", text, 160, 120) for place, text in enumerate(texts, 1)]
    _, stored = store_pictures(document(*pictures), tmp_path)
    found = [description for _, _, description in descriptions(stored, "Relays", {})]
    assert found == ["A beta follows. It is", *texts[1:]]


@pytest.mark.parametrize(
    ("caption", "context", "expected"),
    [
        ("", "Coils: The following figure shows a coil.", "Coils: The following figure shows a coil."),
        ("", "Relays: Two coils.", "Two coils."),
        ("", "Coils: " + "coil " * 200, "Coils:" + " coil" * 78 + " …"),
        ("Figure 3.", "Coils: Two coils.", "Figure 3. Coils: Two coils."),
        ("image", "Coils: Two coils.", "Coils: Two coils."),
        ("image", "", "The text around it"),
        ("Figure 3.", "", "Figure 3."),
        ("A coil", "", "A coil"),
    ],
)
def test_a_picture_whose_caption_says_nothing_is_described_by_its_context(
    tmp_path: Path, caption: str, context: str, expected: str
) -> None:
    picture = Picture(png(), 1, "figure", caption, "The text around it", 160, 120, context)
    _, stored = store_pictures(document(picture), tmp_path)
    ((_, _, description),) = descriptions(stored, "Relays", {})
    assert description == expected
    ((_, _, seen),) = descriptions(stored, "Relays", {stored[0].digest: "A model's words."})
    assert seen.endswith("A model's words.")
    assert "Two coils" not in seen


def test_only_images_that_were_not_written_lately_are_idle(tmp_path: Path) -> None:
    picture = Picture(png(), 1, "figure", "", "", 160, 120)
    _, (stored,) = store_pictures(document(picture), tmp_path)
    (path,) = tmp_path.glob("pictures/*/*.png")
    assert list(idle_pictures(tmp_path)) == []
    os.utime(path, (0, 0))
    assert list(idle_pictures(tmp_path)) == [[stored.digest]]
    store_pictures(document(picture), tmp_path)
    assert list(idle_pictures(tmp_path)) == [], "a run that stores it again uses it"
    remove_pictures(tmp_path, [stored.digest])
    assert not path.exists()


def test_a_path_is_below_itself_and_its_folders_only() -> None:
    assert is_below("/a/b.md", {"/a"})
    assert is_below("/a/b.md", {"/a/b.md", "/c"})
    assert is_below("/a", {"/"})
    assert not is_below("/ab/c.md", {"/a"})


class Many(frozenset[str]):
    """So many folders that looking at each of them would take too long."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("each of the folders was looked at")


def test_a_path_is_not_compared_with_each_of_many_folders() -> None:
    assert is_below("/a/b/c.md", Many(("/a/b", "/c")))
    assert not is_below("/a/b/c.md", Many(("/a/c",)))


def test_a_folder_has_a_path_if_it_is_among_the_parents() -> None:
    assert with_parents(["/a/b/c.md", "/a/d.md"]) == {"/a/b/c.md", "/a/b", "/a", "/a/d.md", "/"}
    assert with_parents([]) == set()


def test_names_of_any_bytes_are_found_again(tmp_path: Path) -> None:
    for name in (b"caf\xe9.md", b"back\\slash.md", b"literal\\xff.md"):
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        path.write_bytes(b"x")
        recorded = recorded_path(path)
        recorded.encode()
        assert file_path(recorded) == path
        assert not is_gone(recorded)
        path.unlink()
        assert is_gone(recorded)


def test_what_is_no_file_any_more_is_gone_and_what_cannot_be_asked_is_not(tmp_path: Path) -> None:
    assert is_gone(str(tmp_path))
    (tmp_path / "file").write_bytes(b"x")
    assert is_gone(str(tmp_path / "file" / "inside"))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert not is_gone(str(tmp_path / "loop"))


def test_a_file_that_another_run_removes_meanwhile_is_not_an_old_one(tmp_path: Path) -> None:
    old, gone = tmp_path / "old", tmp_path / "gone"
    old.write_bytes(b"x")
    assert older_than([gone, old], old.stat().st_mtime + 1) == [old]
    assert older_than([gone, old], old.stat().st_mtime) == []
