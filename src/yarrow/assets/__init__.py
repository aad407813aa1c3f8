"""Characters, presets, worldbooks, regex rules and personas, with versions."""
