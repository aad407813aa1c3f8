"""Write reports about charts."""
