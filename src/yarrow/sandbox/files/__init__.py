"""Convert uploaded files to Parquet: text, workbooks, JSON, Parquet, and gzip of these.

All of this runs in a job, because a file may exploit its parser.
"""
