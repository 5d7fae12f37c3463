"""The one error of the gateway itself."""


class Refused(Exception):
    """The gateway cannot start or cannot do this; the message is a sentence for the operator that names the way out."""
