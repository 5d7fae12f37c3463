"""What each port promises, tried on a real engine."""
