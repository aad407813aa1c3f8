"""Suggest questions about tables."""
