"""XML is parsed without entities, and what cannot be parsed is reported in plain words."""

from pathlib import Path

import pytest

from tests.support.documents import archive
from toolsets.concept_rag.ingestion.document import ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.docx import parse_docx
from toolsets.concept_rag.ingestion.xml_tree import BadXml, attribute, local_name, parse_xml, rename_namespaces, text_of


def parsed(data: bytes) -> ParsedDocument:
    return parse_docx(Path("notes.docx"), data)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    ("markup", "kind", "reason"),
    [
        (
            f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><x>&l11;</x>',
            "bomb",
            "its entities expand to far more text than a ",
        ),
        ('<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]><x>&a;</x>', "bomb", "its entities expand to far more text"),
        ("<a>" * 1_000, "damaged", "it has more than 256 levels, or a text of more than 10 MB."),
        ("<x>\n<y></x>", "damaged", "line 2 is not well-formed."),
        ("", "damaged", "line 1 is not well-formed."),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_part_that_cannot_be_read_as_xml_is_reported_in_a_plain_sentence(
    markup: str, kind: str, reason: str, encoding: str
) -> None:
    with pytest.raises(Unreadable) as failure:
        parsed(archive({"word/document.xml": markup.encode(encoding)}))
    assert failure.value.kind == kind
    assert failure.value.reason.startswith(f"The main part of the Word document cannot be read: {reason}")
    assert "<string>" not in failure.value.reason


def test_declared_entities_are_not_resolved(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key")
    root = parse_xml(f'<!DOCTYPE x [<!ENTITY a SYSTEM "{secret.as_uri()}">]><x>&a;</x>'.encode())
    assert "key" not in "".join(text_of(each) for each in root.iter())


def test_errors_are_repaired_where_possible_if_that_is_asked_for() -> None:
    assert [local_name(child) for child in parse_xml(b"<x><y>1<z/></x>", lenient=True)] == ["y"]
    with pytest.raises(BadXml, match="line 1"):
        parse_xml(b"<x><y>1<z/></x>")
    with pytest.raises(BadXml):
        parse_xml(b"no xml", lenient=True)


def test_names_are_compared_without_their_namespace() -> None:
    root = parse_xml(b'<a:x xmlns:a="urn:a" xmlns:b="urn:b" b:role="aut"><!-- x --><?y z?><a:y>1</a:y></a:x>')
    assert [local_name(each) for each in root.iter()] == ["x", "", "", "y"]
    assert (attribute(root, "role"), attribute(root, "id")) == ("aut", None)
    assert [text_of(each) for each in root.iterfind("{*}y")] == ["1"]
    assert text_of(root.find("{*}z")) == ""


def test_namespaces_of_elements_and_attributes_are_renamed() -> None:
    root = parse_xml(b'<a:x xmlns:a="urn:a" xmlns:c="urn:c" a:id="1" c:id="2" id="3"><a:y/><c:y/></a:x>')
    rename_namespaces(root, {"urn:a": "urn:b"})
    assert [each.tag for each in root.iter("*")] == ["{urn:b}x", "{urn:b}y", "{urn:c}y"]
    assert dict(root.items()) == {"{urn:b}id": "1", "{urn:c}id": "2", "id": "3"}
