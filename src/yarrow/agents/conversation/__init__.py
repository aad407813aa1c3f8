"""The one way in which agents ask a model: retries, reasoning, images, tools, history."""
