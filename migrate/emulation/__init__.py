"""C++ runtimes for the CPU (CUDA, Ascend C), and what builds and runs programs on them."""
