"""Conditions that a question names, read without a model: values, numbers, times and ranks."""
