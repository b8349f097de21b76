"""Looking after an index: its state, its health, its space."""
