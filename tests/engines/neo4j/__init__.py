"""Neo4j: index quirks, outages, wrong options and concurrent engines."""
