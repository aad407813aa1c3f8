"""Accounts: signup, login, profile, points and ledger."""
