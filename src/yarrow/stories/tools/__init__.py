"""Tools that the model of a story may call. Their effects are staged and land with the turn."""
