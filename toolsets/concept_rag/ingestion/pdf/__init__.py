"""Reading PDF files: text in reading order, metadata and pictures."""
