"""Variables in five scopes."""
