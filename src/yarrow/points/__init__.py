"""Points: holding, consuming, releasing, and the ledger of it all."""
