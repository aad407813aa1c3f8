"""Who asks and pays: signup, login, tokens, profile."""
