"""The cues agree with the words and shapes that they refer to."""

import re
import tomllib

from toolsets.agent_graph.extraction.cues import choice_of, cues, kind_of, mask_of
from toolsets.agent_graph.extraction.lexicon import read_lexicon, word_classes
from toolsets.agent_graph.extraction.model import ENTITY_TYPES

GIVEN = {"free", "common", "known", "known_location", "known_prefix", "listed", "weak", "person_named_before"}
"""Features in brackets that no pattern of shapes.toml yields."""


def features_asked_for() -> set[str]:
    tables = [tomllib.loads(read_lexicon(f"{name}.toml")) for name in ("cues", "names")]
    rows = [row for table in tables for rows in table.values() for row in rows]
    terms = [
        term
        for row in rows
        for key in ("before", "here", "first", "last", "every")
        for term in row.get(key, "").split()
    ]
    terms += tomllib.loads(read_lexicon("shapes.toml"))["combined"].values()
    return {feature for term in terms for choice in term.rstrip("?*").split("&") for feature in choice_of(choice)[0]}


def test_cues_name_classes_shapes_and_types_that_exist() -> None:
    classes = frozenset[str]().union(*word_classes().values())
    shapes = {name for table in tomllib.loads(read_lexicon("shapes.toml")).values() for name in table}
    asked = features_asked_for()
    assert len(asked) > 100
    assert {feature for feature in asked if feature[0] == "<"} <= classes
    assert {feature[1:-1] for feature in asked if feature[0] == "{"} <= {*ENTITY_TYPES, "name"}
    assert {feature[1:-1] for feature in asked if re.fullmatch(r"\[.+\]", feature)} <= shapes | GIVEN


def test_a_word_rules_out_the_cues_that_it_cannot_meet() -> None:
    [unlike] = [
        cue for cue in cues()["contrast"] if kind_of({"unlike"}).here & cue.bit and not kind_of({"not"}).here & cue.bit
    ]
    assert mask_of("contrast") & unlike.bit
    assert not kind_of({"zubzip"}).here & mask_of("contrast")


def test_a_term_holds_when_all_its_choices_do() -> None:
    [asked] = [cue.first for cue in cues()["pronoun"] if cue.before]
    assert kind_of({"<team>", "[free]"}).choices & asked == asked
    assert kind_of({"<team>"}).choices & asked != asked
