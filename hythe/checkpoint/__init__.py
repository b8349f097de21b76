"""Scopes: checkpoints, the current pointer, branches, reconciliation."""
