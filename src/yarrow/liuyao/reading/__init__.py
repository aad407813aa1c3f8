"""The reading: from a derivation and a question to a judgement in words."""
