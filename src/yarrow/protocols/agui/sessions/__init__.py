"""History, deletion and the board of a divination session."""
