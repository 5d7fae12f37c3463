"""The shipped adapters, a folder per engine.

The same idea has the same file name in each: `adapter`, `connection`, `settings`, `errors`, `filters`, `rows`; `verify`
where verification takes more than a few lines. A port is the module `graph`, `vectors` or `events`, or a package of that
name whose entry is `store`.
"""
