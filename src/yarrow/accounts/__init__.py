"""Accounts: signup, login, tokens, profile."""
