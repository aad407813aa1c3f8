"""One folder for each protocol: wire, intake, encode, errors, routes."""
