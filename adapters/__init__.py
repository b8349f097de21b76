"""Thin front ends over hsum and hythe: they translate and decide nothing."""
