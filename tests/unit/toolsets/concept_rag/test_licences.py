"""The texts of well-known licences and notices of copyright are found in a document."""

import pytest

from tests.support.parsed_documents import CIRCUITS, LEDGERS, block, heading
from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.licences import is_notice, licence_spans
from toolsets.concept_rag.sections import section_kinds

GPL = [
    heading("Appendix A: GNU General Public License"),
    block("Version 3, 29 June 2007"),
    block("Copyright (C) 2007 Free Software Foundation, Inc. Everyone is permitted to copy and distribute verbatim copies of "
          "this license document, but changing it is not allowed."),
    heading("Preamble", 2),
    block("Some devices are designed to deny users access to install or run modified versions of the software inside them."),
    block("States should not allow patents to restrict development and use of software on general-purpose computers."),
    block("You may convey a covered work in object code form, provided that you also convey the corresponding source."),
    block("How to Apply These Terms to Your New Programs"),
    block("If you develop a new program, attach the following notices to it; they exclude warranty most effectively."),
]  # fmt: skip
BSD = [
    block("Redistribution and use in source and binary forms, with or without modification, are permitted."),
    block("Redistributions of source code must retain the above copyright notice."),
    block("This software is provided by the copyright holders as is, and they are not liable for damages."),
]
PROSE = [block(" ".join(CIRCUITS)), block(" ".join(LEDGERS))]


@pytest.mark.parametrize("licence", [GPL, BSD])
def test_a_licence_is_found_from_its_heading_to_its_last_paragraph(licence: list[Block]) -> None:
    blocks = [heading("Circuits"), *PROSE, *licence, heading("Ledgers"), *PROSE]
    assert licence_spans(blocks) == [(3, 3 + len(licence))]
    kinds = section_kinds(blocks)
    assert set(kinds[3 : 3 + len(licence)]) == {"back_matter"}
    assert kinds[1] == kinds[-1] == "body"


def test_a_document_that_is_a_licence_is_its_own_subject() -> None:
    assert licence_spans(GPL) == []


def test_text_about_a_licence_is_no_licence() -> None:
    about = block(
        "The GNU General Public License permits copying. A license has conditions, and copyright is their ground."
    )
    assert licence_spans([*PROSE, about, *PROSE]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Copyright by Jane Doe, GNU Free Documentation License, low resolution", True),
        ("© Copyright 2010-2021, The Developers, Creative Commons Attribution-ShareAlike 3.0.", True),
        ("Copyright (c) 2021, Example Inc. All rights reserved.", True),
        ("Photo: Jane Doe, licensed under the Creative Commons Attribution License", True),
        ("Copyright owners took the cable companies to court.", False),
        ("The copyright file names the licence of the package.", False),
        ("Copyright Act", False),
        ("Copyright Jane Doe. All rights reserved.", True),
        ("Copyright by itself does not protect ideas, only their expression.", False),
        ("Copyright holders can license their rights exclusively.", False),
        ("Copyright and Creative Commons", False),
    ],
)
def test_a_notice_names_the_holder_or_the_licence(text: str, expected: bool) -> None:
    assert is_notice(text) is expected


@pytest.mark.parametrize(
    "prose",
    [
        [block(" ".join(CIRCUITS))] * 4
        + [block("Use this program to convert the images of a folder to another format.")],
        [block("本章介绍如何安装和配置服务器，以及如何管理用户账号和备份数据。")] * 9
        + [block("最后一页说明 license 的选择。")],
    ],
)
def test_a_licence_ends_where_a_text_begins_that_has_its_terms_now_and_then(prose: list[Block]) -> None:
    assert licence_spans([*GPL, *prose * 40]) == [(0, len(GPL))]


def test_no_licence_is_longer_than_the_longest() -> None:
    about = block(
        "A licence is a contract in the view of some courts, and a unilateral grant in the view of others. " * 9
    )
    ((start, end),) = licence_spans([*GPL, *[about] * 400])
    assert start == 0
    assert end < 60


def test_several_licences_in_a_row_may_be_longer_than_the_longest() -> None:
    terms = block("You may convey covered works under the terms of this license and of no other. " * 60)
    licences = [*GPL, *[terms] * 8] * 3
    assert licence_spans([*PROSE, *licences, *PROSE]) == [(len(PROSE), len(PROSE) + len(licences))]
