"""Lists over all agents for an account: its sessions, and its runs with what they used."""
