"""The kit for adapter authors: what adapters share, public and under semantic versioning.

`docs/adapters/writing.md` says which module helps with what.
"""
