"""`/api/sources`: the data sources of an account."""
