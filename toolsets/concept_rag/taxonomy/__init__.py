"""Categories: the shipped tree, what an operator adds to it, and which of them a document belongs to."""
