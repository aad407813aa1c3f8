"""Speech recognition: recordings in, text out."""
