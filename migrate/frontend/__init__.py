"""Reading CUDA C++ into the program model and the SIMT IR."""
