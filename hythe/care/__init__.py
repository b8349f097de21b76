"""Keeping a store well: doctor, backup, export, redaction, pruning."""
