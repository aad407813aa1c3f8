"""PostgreSQL that runs as a child of this process, in the data dir."""
