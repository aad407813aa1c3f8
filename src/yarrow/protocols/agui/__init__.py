"""AG-UI: runs, events, cancel, history and session deletion."""
