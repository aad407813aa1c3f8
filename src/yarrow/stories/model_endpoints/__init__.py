"""Model endpoints that an account brings, bound to the slots of its stories."""
