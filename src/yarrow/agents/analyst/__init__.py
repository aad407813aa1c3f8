"""The analyst: from tables to charts, questions and reports."""
