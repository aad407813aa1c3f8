"""The four agent streams, and re-attaching to a run."""
