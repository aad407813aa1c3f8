"""Language models: the port, a client for OpenAI-compatible endpoints, test doubles."""
