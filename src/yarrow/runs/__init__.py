"""The engine: the only code that moves a run forward."""
