"""Who may connect: the address to bind, accepted hosts and origins, the token."""
