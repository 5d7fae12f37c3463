"""The promises, executable: a manifest, suites per port and per toolset, shipped for anyone to run."""
