"""About our own code: unit, house, docs, end to end and bench; never in the wheel."""
