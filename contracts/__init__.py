"""The executable contract: a manifest of promises and test suites per port and per toolset, shipped for anyone to run."""
