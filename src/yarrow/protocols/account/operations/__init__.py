"""Operations: runs of all accounts, workers, points, for the accounts that may see them."""
