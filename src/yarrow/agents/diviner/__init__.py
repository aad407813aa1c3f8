"""The diviner: derives a hexagram and reads it."""
