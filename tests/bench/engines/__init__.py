"""The bare drivers, doing the work that the ports do."""
