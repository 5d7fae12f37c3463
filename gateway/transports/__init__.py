"""How messages travel: over pipes and over HTTP."""
