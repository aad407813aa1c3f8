"""Model profiles and slots."""
