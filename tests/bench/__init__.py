"""Benchmarks: real input, raw clients, ratios measured in one run."""
