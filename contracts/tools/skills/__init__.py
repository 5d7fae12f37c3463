"""The promises of the skills tools and their HTTP routes."""
