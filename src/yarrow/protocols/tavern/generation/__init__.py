"""Generating routes: send a message, replace a reply, follow and cancel the run."""
