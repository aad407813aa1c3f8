"""Files that SillyTavern's users bring: character cards as JSON and inside pictures."""
