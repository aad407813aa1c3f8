"""Run untrusted SQL and Python, and read uploaded files, outside the server process.

The server uses `sandbox.Sandbox`. A fork server (`fork_server`, started by `client`) has imported
everything; each job is a fork of it that enters a `jail`, answers requests (`sql_job`,
`python_job`) over a socket (`messages`) and dies. `warm_workers` are jobs that stay for the next
query of a workspace. `files` converts uploads to Parquet.
"""
