"""Builds the extension: a binding in C++ and a kernel in CUDA."""

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="gelu_ext",
    version="0.3",
    packages=["gelu_ext"],
    ext_modules=[
        CUDAExtension(
            name="gelu_ext._C",
            sources=["csrc/gelu.cpp", "csrc/gelu_kernel.cu"],
            define_macros=[("GELU_VERSION", "3")],
            extra_compile_args={
                "cxx": ["-O3"],
                "nvcc": ["-O3", "--use_fast_math", "-gencode=arch=compute_80,code=sm_80"],
            },
        ),
    ],
    cmdclass={"build_ext": BuildExtension},
)
