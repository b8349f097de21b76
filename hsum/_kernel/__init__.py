"""The shared ground of hsum and hythe: faults, bytes, clocks, SQLite, locks, files."""
