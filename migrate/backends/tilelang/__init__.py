"""TileLang: a Python module for each source file, with kernels and launch wrappers."""
