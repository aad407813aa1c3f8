"""The connector: a child process that logs in to one source, for one request."""
