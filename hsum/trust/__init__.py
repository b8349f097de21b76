"""Who may read what: bindings of a root to an index, kept on the user's side."""
