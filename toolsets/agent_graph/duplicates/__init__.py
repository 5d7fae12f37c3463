"""Names that probably mean the same thing."""
