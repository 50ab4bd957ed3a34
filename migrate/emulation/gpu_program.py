"""A CUDA program on a device: built by nvcc, its launches recorded by the tap.

The capture has the format of the CPU runtime's (``docs/capture.md``), and fresh memory the same
pattern, so that the two can be compared byte by byte.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from migrate.core.resources import include_dir
from migrate.emulation.cuda_program import BuiltProgram, CudaSources
from migrate.emulation.gpu_device import Gpu
from migrate.emulation.source_tree import RewrittenTree, rewrite_tree
from migrate.emulation.tap_rewrite import tap
from migrate.emulation.toolchain import CompileError

_SECONDS = 600.0
# Contraction is off, as on the CPU: what is left of a difference is the hardware's.
_FLAGS = ("-O2", "-w", "--fmad=false", "-Xcompiler", "-fwrapv,-fno-strict-aliasing")
_LIBRARIES = {
    "cublas": ("-lcublas", "-lcublasLt"),
    "cufft": ("-lcufft",),
    "curand": ("-lcurand",),
    "cusparse": ("-lcusparse",),
    "cusolver": ("-lcusolver",),
    "nccl": ("-lnccl",),
}
_HEADER = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](cublas|cufft|curand|cusparse|cusolver|nccl)')
_OLD = ("c++98", "c++03", "c++11", "c++14")  # the recorder needs C++17


def tap_dir() -> Path:
    """Where the tap's headers lie."""
    return include_dir() / "cuda_tap"


def libraries(tree: RewrittenTree) -> tuple[str, ...]:
    """Linker options for the CUDA libraries whose headers a program includes."""
    found: dict[str, None] = {}
    for file in tree.files:
        for line in file.path.read_text("latin-1").splitlines():
            match = _HEADER.match(line)
            if match:
                found |= dict.fromkeys(_LIBRARIES[match.group(1)])
    return tuple(found)


def nvcc_command(gpu: Gpu, program: CudaSources, tree: RewrittenTree) -> tuple[str, ...]:
    """The command that compiles and links a tapped program, without its output."""
    std = "c++17" if program.std in _OLD else program.std
    folders = (*tree.include_dirs, tap_dir())
    return (
        gpu.nvcc, f"-std={std}", f"-arch={gpu.architecture}", *_FLAGS, *program.flags,
        *(f"-D{d}" for d in program.defines),
        *(word for d in folders for word in ("-I", str(d))),
        *(str(s) for s in tree.sources),
        *libraries(tree),
    )  # fmt: skip


def build_gpu_program(gpu: Gpu, program: CudaSources, work: Path) -> BuiltProgram:
    """Puts the tap into the sources, below ``work/tap``, and builds ``work/program``.

    Raises ``CompileError`` (its text names the original files and lines) and ``OSError``.
    """
    tree = rewrite_tree(program.sources, program.include_dirs, work / "tap", tap)
    output = work / "program"
    command = (*nvcc_command(gpu, program, tree), "-o", str(output))
    try:
        run = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise CompileError(tree.sources[0], "the compiler timed out", command) from None
    if run.returncode != 0:
        raise CompileError(tree.sources[0], run.stderr.decode("utf-8", "replace"), command)
    return BuiltProgram(output, tree, on_device=True)
