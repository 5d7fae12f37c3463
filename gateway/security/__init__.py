"""Access control: the address to bind, accepted hosts and origins, the token."""
