"""Skeletons of packages for authors, and their writer; templates are text files, which checkers do not take for modules."""
