"""What the skills tools and their HTTP routes promise."""
