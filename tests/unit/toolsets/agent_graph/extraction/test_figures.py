"""How well texts are read, on sentences that were annotated by hand."""

from tests.bench.extraction import score


def test_half_the_sentences_were_never_seen_by_who_made_the_rules() -> None:
    """The figures in docs/tools/extraction.md; the bars are a little below them."""
    held_out = score("held_out")
    assert held_out.entities.f >= 0.9
    assert held_out.relations.precision >= 0.75
    latest = score("latest")
    assert latest.entities.f >= 0.85
    assert latest.relations.precision >= 0.8
    development = score("development")
    assert development.entities.f >= 0.95
    assert development.relations.precision >= 0.9
