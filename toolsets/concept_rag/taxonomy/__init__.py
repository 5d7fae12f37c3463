"""Categories: the shipped tree, an operator's additions, and the assignment of documents."""
