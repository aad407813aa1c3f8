"""Pages a person opens in a browser."""
