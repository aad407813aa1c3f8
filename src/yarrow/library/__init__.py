"""The library of an account: what its stories are made of."""
