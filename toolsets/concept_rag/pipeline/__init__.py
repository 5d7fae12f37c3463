"""The way of a file into the catalog: compared, parsed, analysed, embedded and recorded."""
