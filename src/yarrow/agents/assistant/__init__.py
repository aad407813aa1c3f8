"""The assistant: a general conversation with tools."""
