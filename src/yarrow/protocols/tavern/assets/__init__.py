"""Presets, worldbooks, regex profiles, characters and personas."""
