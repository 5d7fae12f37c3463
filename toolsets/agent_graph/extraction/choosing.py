"""Chooses who reads the texts: the rules, names found by spaCy, or a language model with the rules behind it."""

from toolsets.agent_graph.extraction.model import Extractor


def choose_extractor(*, spacy_pipeline: str | None = None) -> Extractor:
    """Return the extractor that the settings ask for; the offline rules when they ask for none.

    Raises `ValueError` with the way out when `spacy_pipeline` cannot be loaded.
    """
    raise NotImplementedError
