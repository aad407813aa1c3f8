"""SillyTavern-compatible prompts, explained by a trace. A pure package.

Time, randomness and variables are arguments. `assembly.assemble` builds the messages for a model
from a session's assets, history and variables; the other packages parse and apply those assets.
"""
