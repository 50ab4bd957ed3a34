"""Build files of a CUDA tree as build files for Ascend C. Start with ``tree.py``."""
