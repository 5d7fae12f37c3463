"""The shipped adapters, a folder per engine.

The same idea has the same file name in each: `adapter`, `connection`, `settings`, `errors`, `filters`, `rows`, `verify`. A
port is the module `graph`, `vectors` or `events`, or a package of that name whose entry is `store`.
"""
