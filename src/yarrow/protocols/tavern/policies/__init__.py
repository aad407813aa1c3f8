"""How a session's prompts are built: policy, mode, assets, and what there is to choose from."""
