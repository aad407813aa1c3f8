"""Versioned assets: characters, presets, worldbooks, regex profiles and personas."""
