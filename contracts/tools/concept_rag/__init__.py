"""The promises of the concept_rag tools."""
