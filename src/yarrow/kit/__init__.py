"""Building blocks without domain knowledge: JSON, caches, limits, child processes, loops, …"""
