"""Tables that users bring: kept as Parquet, read only by processes that can do no harm."""
