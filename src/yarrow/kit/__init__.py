"""Plumbing that knows nothing of the product: JSON, tasks, tracing, endpoints, warnings."""
