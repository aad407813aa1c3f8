"""Prompts: SillyTavern-compatible, explainable and pure.

Time, dice and variables arrive as arguments. `assemble` turns a session's assets, history and
variables into the messages for a model, and says how each of them came about.
"""
