"""Signing up, in and out."""
