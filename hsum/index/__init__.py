"""Index a root: scan, plan, write, publish."""
