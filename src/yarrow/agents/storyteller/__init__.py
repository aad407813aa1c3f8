"""The storyteller: answers the next turn of a story with the prompt of its card and preset."""
