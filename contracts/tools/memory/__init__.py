"""The promises of the memory tools."""
