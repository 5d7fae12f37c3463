"""Toolsets on real engines within the process of a test, called as the gateway calls them."""
