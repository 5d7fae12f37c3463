"""The adapter for language models behind an OpenAI-compatible endpoint."""
