"""Session state: namespaces, values, snapshots of floors."""
