"""Sessions, assets and prompts at the paths of a SillyTavern-like server."""
