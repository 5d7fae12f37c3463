"""Skeletons of packages for authors, and what writes them; templates are text, so no checker takes them for modules."""
