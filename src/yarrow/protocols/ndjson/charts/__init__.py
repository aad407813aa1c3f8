"""Rendering a chart to SVG or PNG, and rerunning its program."""
