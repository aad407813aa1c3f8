"""A `ChatModel` that decides by rules: what the server answers without a model endpoint."""
