"""Sessions, their branches, turns and messages."""
