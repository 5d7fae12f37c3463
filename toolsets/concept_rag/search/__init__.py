"""Search: query expansion, retrieval by vectors and words, and ranking by the documented weights."""
