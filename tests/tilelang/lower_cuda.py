"""Lowers generated modules to CUDA for sm_80, as a program of its own.

Usage: ``python lower_cuda.py MODULE...``; writes ``MODULE.cu`` beside each and prints a line each.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path

import tilelang
from tilelang import tvm


def main() -> None:
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    for name in sys.argv[1:]:
        path = Path(name)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)

        def lower(kernel: object, _: str, configs: object = module.PASS_CONFIGS) -> str:
            with target, tvm.transform.PassContext(opt_level=3, config=configs):
                return str(tilelang.lower(kernel, target=target).kernel_source)

        module.build = lower
        for entry in module.SIGNATURES:
            factory = getattr(module, f"{entry}_kernel")
            sizes = [
                p
                for p in inspect.signature(factory.__wrapped__).parameters.values()
                if p.default is inspect.Parameter.empty and p.name != "target"
            ]
            path.with_suffix(".cu").write_text(factory("cuda", *(64 for _ in sizes)))
            print(f"lowered {entry}", flush=True)


if __name__ == "__main__":
    main()
