"""The profile of an account."""
