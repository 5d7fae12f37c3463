"""Search: candidates from vectors and words, expanded queries, and the documented weights that rank them."""
