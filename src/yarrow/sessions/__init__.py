"""Sessions with their branches, turns, messages and message versions."""
