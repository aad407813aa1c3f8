"""Sessions and runs of an account over all agents."""
