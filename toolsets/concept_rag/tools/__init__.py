"""The tools, one module per family: argument models, reply models and handlers."""
