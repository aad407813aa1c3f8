"""Files that people bring become Parquet: text, workbooks, JSON, Parquet, and gzip of these.

All of this runs in a job: what a file makes a parser do stays there.
"""

from yarrow.sandbox.files.read import preview_file, read_file

__all__ = ["preview_file", "read_file"]
