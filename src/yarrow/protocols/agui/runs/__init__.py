"""Submitting, following and cancelling runs."""
