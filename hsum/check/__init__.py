"""Check citations: find them in a text, and tell whether each still stands."""
