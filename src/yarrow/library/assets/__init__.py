"""Presets, worldbooks, regex profiles, characters and personas, each with all its versions."""
