"""Real Neo4j servers, of the present version and of the one with long-term support."""

from tests.services.neo4j.server import LTS, PRESENT, Neo4jProcess, Release, running, running_lts, started

__all__ = ["LTS", "PRESENT", "Neo4jProcess", "Release", "running", "running_lts", "started"]
