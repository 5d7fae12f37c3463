"""Chooses who reads the texts: the rules, the rules with names found by spaCy, or a language model before them."""

from toolsets.agent_graph.extraction.language import LanguageSource, ModelExtractor
from toolsets.agent_graph.extraction.model import Extractor
from toolsets.agent_graph.extraction.pipeline import SpacyExtractor, check_pipeline
from toolsets.agent_graph.extraction.rules import RuleExtractor


def choose_extractor(language: LanguageSource, *, spacy_pipeline: str | None = None) -> Extractor:
    """Return the extractor that the settings ask for.

    The configured language model comes first; when `language` yields none, or it does not help, the offline
    extractor reads: the rules, with spaCy's names when `spacy_pipeline` names a pipeline. Raises `ValueError` with
    the way out when that is not installed.
    """
    if spacy_pipeline is None:
        return ModelExtractor(language, RuleExtractor())
    check_pipeline(spacy_pipeline)
    return ModelExtractor(language, SpacyExtractor(spacy_pipeline))
