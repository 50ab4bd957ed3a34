"""Builds kernels for the 910B, runs them on the CPU and gives what they left in ``y`` and ``x``."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from migrate.backends.ascendc.kernel_text import KernelText
from migrate.backends.ascendc.simd import emit_kernel
from migrate.backends.ascendc.simt import SimtContext
from migrate.core.options import DoublePolicy, Options
from migrate.core.targets import Target
from migrate.emulation.asc_rewrite import compile_flags, rewrite_asc
from migrate.ir.lifted import Lifted
from migrate.ir.parser import parse_module
from migrate.lifting.tile import lift_simd
from migrate.rules.catalogue import load_catalogue

_MAIN = """
static void* Read(const char* name, size_t bytes)
{
    void* at = nullptr;
    aclrtMalloc(&at, bytes + 64, ACL_MEM_MALLOC_HUGE_FIRST);
    FILE* f = fopen(name, "rb");
    if (fread(at, 1, bytes, f) != bytes) abort();
    fclose(f);
    return at;
}
static void Write(const char* name, const void* at, size_t bytes)
{
    FILE* f = fopen(name, "wb");
    fwrite(at, 1, bytes, f);
    fclose(f);
}
int main(int argc, char** argv)
{
    const std::string which = argv[1];
    const int n = atoi(argv[2]);
    const Dim3 grid(atoi(argv[3]), atoi(argv[4])), block(atoi(argv[5]), atoi(argv[6]));
    const size_t xb = atol(argv[7]), yb = atol(argv[8]);
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    void* x = Read("x.bin", xb);
    void* y = Read("y.bin", yb);
    const size_t dynUbBytes = 0;
    (void)dynUbBytes;
@BRANCHES@
    aclrtSynchronizeStream(stream);
    Write("x.out", x, xb);
    Write("y.out", y, yb);
    return 0;
}
"""
_DIM3 = "struct Dim3 { uint32_t x, y, z; Dim3(int a, int b) : x(a), y(b), z(1) {} };\n"


def lifted(source: str, double: DoublePolicy = DoublePolicy.SOFT) -> Lifted:
    """The one kernel of some IR text, lifted."""
    module = parse_module(f'module "m"\n{source}')
    return lift_simd(module.kernels[0], module, Options(Target.ASCEND_910B, double=double))


def text_of(made: Lifted) -> KernelText:
    """Its Ascend C text."""
    found = emit_kernel(made, SimtContext(load_catalogue(), {}))
    assert isinstance(found, KernelText), found
    return found


@dataclass(frozen=True, slots=True)
class Built:
    """A program that holds several kernels."""

    program: Path

    def run(
        self,
        kernel: str,
        n: int,
        x: npt.NDArray[np.generic],
        y: npt.NDArray[np.generic],
        grid: tuple[int, int],
        block: tuple[int, int],
    ) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.generic]]:
        """``x`` and ``y`` after one launch."""
        folder = self.program.parent
        (folder / "x.bin").write_bytes(x.tobytes())
        (folder / "y.bin").write_bytes(y.tobytes())
        numbers = [n, *grid, *block, x.nbytes, y.nbytes]
        done = subprocess.run(
            [str(self.program), kernel, *map(str, numbers)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{kernel} n={n}: {done.stderr[-2000:]}"
        return (
            np.frombuffer((folder / "x.out").read_bytes(), x.dtype),
            np.frombuffer((folder / "y.out").read_bytes(), y.dtype),
        )


def build(sources: dict[str, str], folder: Path) -> Built:
    """One program with all kernels; ``main`` picks one by name."""
    definitions: list[str] = []
    prelude: list[str] = []
    branches: list[str] = []
    for name, source in sources.items():
        text = text_of(lifted(source))
        prelude += [p for p in text.prelude if p not in prelude]
        definitions.append(text.definition)
        launch = text.launcher.replace("\n", "\n        ")
        branches.append(f'    if (which == "{name}") {{\n        {launch}\n    }}')
    parts = [
        "#include <cstdio>\n#include <cstdlib>\n#include <string>\n",
        '#include "acl/acl.h"\n#include "kernel_operator.h"\n',
        *prelude,
        *definitions,
        _DIM3,
        _MAIN.replace("@BRANCHES@", "\n".join(branches)),
    ]
    asc = folder / "kernels.asc"
    asc.write_text("\n".join(parts), encoding="utf-8")
    cpp = folder / "kernels.cpp"
    cpp.write_text(rewrite_asc(asc.read_text(encoding="utf-8"), str(asc)), encoding="utf-8")
    program = folder / "kernels"
    command = ["g++", *compile_flags(2201), "-w", str(cpp), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return Built(program)
