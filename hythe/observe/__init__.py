"""Named subjects, what was observed about them, and how they relate."""
