"""Warm Python workers: allow-listed code runs without a fork. Delete the folder to drop them."""
