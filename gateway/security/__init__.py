"""Who may come in: where we bind, which hosts and origins we answer, which token opens the door."""
