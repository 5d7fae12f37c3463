"""The address to listen on; kept separate because it is a security rule: beyond loopback only with a token."""

import errno
import ipaddress
import os
import socket

from config.settings import ServerSettings
from gateway.errors import Refused


def is_loopback(host: str) -> bool:
    """Return whether a host to bind is reachable only from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_every_address(host: str) -> bool:
    """Return whether a host to bind means all addresses of this machine; clients cannot use it as an address."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def bind(server: ServerSettings) -> socket.socket:
    """Return a listening socket at the settings' host and port.

    Raises `Refused` for a host beyond loopback without a token, for one that has no address, and for an address that cannot
    be bound.
    """
    if server.token is None and not is_loopback(server.host):
        raise Refused(
            f"Binding to {server.host} would serve everyone on the network, so it needs server.token "
            "(ENTREPOT_SERVER__TOKEN); or bind to 127.0.0.1."
        )
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    try:
        socket.getaddrinfo(server.host, server.port, family, socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # a name with a part that is empty or too long is a UnicodeError
        reason = (error.strerror if isinstance(error, OSError) else None) or "it cannot be a name"
        raise Refused(f"The host {server.host} has no address: {reason}. Choose another with --host.") from None
    try:
        return socket.create_server((server.host, server.port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise Refused(
                f"Cannot listen on {server.host}: this machine does not have the address. Choose another with --host."
            ) from None
        raise Refused(
            f"Cannot listen on {server.host} port {server.port}: {os.strerror(error.errno) if error.errno else error}. "
            "Choose another with --port, or 0 for any that is free."
        ) from None


def address(listening: socket.socket) -> tuple[str, int]:
    """Return the address and the port of a listening socket."""
    host, port = listening.getsockname()[:2]
    return str(host), int(port)
