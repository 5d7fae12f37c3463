"""The ports: protocols of the stores that every toolset uses, independent of engines."""
