"""Warm Python workers: run programs that only compute with frames in a process that is reused.

A chart takes 10 ms of CPU this way instead of 47 ms in a fresh fork. Limits:

- The jail keeps a worker from the host; nothing here does. `allow_list` only keeps a program from
  changing what the next program of the same workspace sees, by an allow-list of syntax, names and
  methods of pandas and NumPy, and by methods of pandas that `worker` replaces.
- The list was searched for holes by hand and by a reviewer, not proven; several were found and
  closed. A program that finds another can falsify later charts of its own workspace, until the
  worker ends (a minute idle, 500 requests, or an error).
- A worker returns successes only. A program that is not on the list, fails, or reads a table in
  an unusual way is rerun in a fresh process.

The rest of the sandbox uses two functions: `client.run_warm_python` in `Sandbox.run_python`, and
`worker.serve` in `python_job.work`. Without them every program takes a fresh process.
"""
