"""Capture, replay and comparison: the evidence."""
