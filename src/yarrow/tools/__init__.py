"""Tools that an agent's model may call on the server."""
