"""Pages a person opens in a browser: the start page, the docs and the API reference."""
