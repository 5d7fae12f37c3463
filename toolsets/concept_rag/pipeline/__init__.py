"""The ingestion pipeline: files are compared, parsed, analysed, embedded and recorded."""
