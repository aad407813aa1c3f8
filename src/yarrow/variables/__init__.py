"""Variables in five scopes, which macros read and write."""
