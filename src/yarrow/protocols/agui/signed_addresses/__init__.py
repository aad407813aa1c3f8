"""Short-lived addresses for clients that cannot send a bearer token."""
