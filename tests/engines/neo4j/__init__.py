"""Neo4j: what its facts warn of, outages, wrong credentials, rivals."""
