"""What the knowledge tools promise."""
