"""Linux isolation for child processes: namespaces, privileges, seccomp filters, Landlock."""
