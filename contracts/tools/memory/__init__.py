"""What the memory tools promise."""
