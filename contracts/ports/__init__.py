"""The promises of each port, tested on a real engine."""
