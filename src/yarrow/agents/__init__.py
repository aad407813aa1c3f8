"""Agents: strategies that turn a context into events."""
