"""The points of an account and their movements."""
