"""Exporting a report as one HTML document."""
