"""Tools an agent may call on the server."""
