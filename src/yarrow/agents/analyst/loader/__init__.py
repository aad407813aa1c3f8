"""Talk about loading data into a workspace."""
