"""Points of accounts: holds for runs, charges, operator adjustments and the ledger."""
