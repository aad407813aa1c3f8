"""Sessions of stories: open, list, change, delete."""
