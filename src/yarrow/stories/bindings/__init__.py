"""What a story is bound to: its character, persona, preset, lore and rules."""
