"""Uploading pictures, signing their URLs, and serving the files."""
