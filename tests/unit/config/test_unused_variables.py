"""Variables of the documents that are named instead of read."""

import re

import pytest

from backends.engines.neo4j.settings import Neo4jSettings
from backends.engines.sentence_transformers.settings import SentenceTransformersSettings
from config.settings import Settings
from config.sources import load, profiles
from config.unused_variables import INSTEAD, unused_variables

DOCUMENTED = (
    "CHROMA_PERSIST_DIRECTORY",
    "EMBEDDING_MODEL",
    "NEO4J_DATABASE",
    "NEO4J_PASSWORD",
    "NEO4J_URI",
    "NEO4J_USER",
    "NEO4J_USERNAME",
)


def test_a_variable_that_is_set_is_named_with_what_to_set_instead() -> None:
    (sentence,) = unused_variables({"NEO4J_URI": "bolt://u:s3cret@host", "NEO4J_PASSWORD": "", "PATH": "/bin"})
    assert sentence.startswith(
        "The environment variable NEO4J_URI is set but not used; set ENTREPOT_STORES__NEO4J__URI"
    )
    assert "s3cret" not in sentence


@pytest.mark.parametrize("name", DOCUMENTED)
def test_each_variable_is_named_with_settings_and_a_profile_that_exist(name: str) -> None:
    (sentence,) = unused_variables({name: "x"})
    assert name in sentence
    advised = [setting.lower().split("__") for setting in re.findall(r"ENTREPOT_([A-Z0-9_]+)", sentence)]
    assert advised
    assert {setting[0] for setting in advised} <= set(Settings.model_fields)
    [profile] = re.findall(r"--profile ([a-z0-9-]+)", sentence) or ["embedded"]
    assert profile in profiles()
    stores = load({"profile": profile}).settings.stores
    options = {"kind", *Neo4jSettings.model_fields, *SentenceTransformersSettings.model_fields}
    for setting in advised:
        if setting[0] == "stores":
            assert (setting[1] in stores, setting[2] in options) == (True, True), setting


def test_no_other_variable_is_named() -> None:
    assert set(INSTEAD) == set(DOCUMENTED)
