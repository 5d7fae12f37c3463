"""The promises of the knowledge tools."""
