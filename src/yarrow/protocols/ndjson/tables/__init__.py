"""Creating, reading and deleting tables of a workspace."""
