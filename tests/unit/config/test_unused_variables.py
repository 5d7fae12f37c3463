"""Variables of the documents that are named instead of read."""

from config.unused_variables import unused_variables


def test_a_variable_that_is_set_is_named_with_what_to_set_instead() -> None:
    (sentence,) = unused_variables({"NEO4J_URI": "bolt://u:s3cret@host", "NEO4J_PASSWORD": "", "PATH": "/bin"})
    assert sentence.startswith(
        "The environment variable NEO4J_URI is set but not used; set ENTREPOT_STORES__NEO4J__URI"
    )
    assert "s3cret" not in sentence
