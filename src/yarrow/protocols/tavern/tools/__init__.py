"""Tools: permissions of sessions, the catalogue, recorded calls."""
