"""The LanceDB adapter."""
