"""Yarrow: one headless backend for conversational AI products."""

__version__ = "0.1.0"
