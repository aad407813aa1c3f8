"""Story sessions: bindings, prompts, branches, variables, chat files."""
