"""SIMT IR printed back as CUDA C++, to prove that reading it lost nothing."""
