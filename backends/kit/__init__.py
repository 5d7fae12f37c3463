"""The kit for adapter authors: what adapters share. It is public, under semantic versioning; toolsets may use it too.

`docs/adapters/writing.md` lists the modules.
"""
