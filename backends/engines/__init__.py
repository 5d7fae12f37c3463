"""The adapters that come with Entrepot, one folder an engine."""
