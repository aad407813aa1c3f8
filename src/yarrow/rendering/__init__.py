"""Render chart specs to SVG and PNG in isolated child processes."""
