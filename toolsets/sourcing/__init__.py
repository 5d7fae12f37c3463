"""Event sourcing for toolsets: decide, append, project, catch up, rebuild.

Public, under semantic versioning; docs/toolsets/writing.md lists the modules.
"""
