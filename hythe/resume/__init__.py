"""Rebuild working context from what was recorded, under a hard token budget."""
