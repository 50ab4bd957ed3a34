"""Ascend C: kernels for both chips, host code for AscendCL, and the assembly of files."""
