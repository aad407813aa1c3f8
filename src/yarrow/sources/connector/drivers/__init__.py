"""Drivers of sources. Each module is imported only for a source of its kind."""
