"""The data agent's protocol: JSON envelopes, and streams of JSON lines."""
