"""What the kernel offers to keep a process in: namespaces, a small root, a filter of calls."""
