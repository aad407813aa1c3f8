"""Variables in five scopes: what macros and tools read and write."""
