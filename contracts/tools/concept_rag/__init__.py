"""The concept_rag tools as their document promises them, on any profile."""
