"""Where foreign code runs: SQL and Python written by a model, and files written by anybody.

One process has imported everything and forks for each job; the fork locks itself up, does the
job, answers over a socket and dies. `jail` is the lock, `zygote` the process that forks,
`sandbox` what the server sees of it. A job that stays for a workspace is a room (`rooms`), for
what leaves nothing behind (`plain`); `owned` is the sandbox of one workspace, rooms first.
"""
