"""What every protocol needs of HTTP: identity, problems, streams, request ids."""
