"""Ports for servers of tests; imports nothing, so that services start where nothing of ours is installed."""

import socket


def free_port() -> int:
    """Return a port of the loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
