"""Lowers products by ``T.gemm`` to CUDA for sm_80, as a program of its own.

Usage: ``python lower_gemm.py FOLDER DEPTH,FACTORS,SUM,THREADS...`` with two dtypes; each is one
block that multiplies 16 rows and columns. Prints for each a line with its words, and the CUDA or
why TileLang refuses. The kernel lies in a file because TileLang reads its source.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import tilelang
from tilelang import tvm

SOURCE = """
import tilelang.language as T


def product(depth, factors, total, threads):
    @T.prim_func
    def kernel(
        a: T.Tensor((16, depth), factors),
        b: T.Tensor((depth, 16), factors),
        c: T.Tensor((16, 16), total),
    ):
        with T.Kernel(1, threads=threads):
            left = T.alloc_shared((16, depth), factors)
            right = T.alloc_shared((depth, 16), factors)
            sums = T.alloc_fragment((16, 16), total)
            T.copy(a, left)
            T.copy(b, right)
            T.clear(sums)
            T.gemm(left, right, sums)
            T.copy(sums, c)

    return kernel
"""


def main() -> None:
    path = Path(sys.argv[1]) / "product.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    for words in sys.argv[2:]:
        depth, factors, total, threads = words.split(",")
        print(f"product {words}")
        try:
            made = module.product(int(depth), factors, total, int(threads))
            with target:
                print(tilelang.lower(made, target=target).kernel_source)
        except Exception as refused:
            print(f"refused: {refused}")


if __name__ == "__main__":
    main()
