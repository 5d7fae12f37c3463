"""Entities and relations read out of a text."""
