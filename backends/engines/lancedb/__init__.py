"""The LanceDB adapter."""

from backends.engines.lancedb.deferred_client import defer_client

defer_client()
