"""Synonyms and concepts that expand a question."""

from tests.unit.toolsets.concept_rag.caller import Instance, texts_of


async def test_a_synonym_that_the_library_uses_is_a_term_and_one_that_it_does_not_use_is_none(
    debugged: Instance,
) -> None:
    """WordNet has "auto", "automobile", "machine" and "motorcar" for a car; the library has automobiles only."""
    rows = await debugged.rows("broad_chunks_search", text="how often is the oil of a car changed")
    terms = texts_of(rows[0]["expanded_terms"])
    assert "automobile" in terms
    assert not {"motorcar", "auto", "machine"} & set(terms)
    components = rows[0]["score_components"]
    assert isinstance(components, dict)
    assert float(str(components["wordnet"])) > 0
