"""What the contract suite does not ask of an engine: the traps of its driver, outages, ends without warning."""
