"""The analyst: answers questions about tables with charts."""
