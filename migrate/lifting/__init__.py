"""Lifting kernels from threads to tiles, one pass a file; read ``schedule.py`` first."""
