"""Support skills learned from conversations."""
