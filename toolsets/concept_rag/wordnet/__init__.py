"""WordNet 3.0 as package data: words, their senses, and the terms around them."""

from toolsets.concept_rag.wordnet.lexicon import LexiconEntry, PartOfSpeech, Sense, WordNet, wordnet

__all__ = ["LexiconEntry", "PartOfSpeech", "Sense", "WordNet", "wordnet"]
