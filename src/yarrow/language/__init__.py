"""Rules about human language that several packages share: which language, which script, numbers in
words, texts that speak of harming oneself. Pure."""
