"""What is configured, for clients: never a key, a DSN, an address or a folder."""
