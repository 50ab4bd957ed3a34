"""NVIDIA's compiler, where it is found: whether it takes the CUDA text that TileLang prints."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

from migrate.emulation.gpu_device import find_nvcc

NOT_FOUND = "not-found"
COMPILED = "compiled"
_SECONDS = 300.0


def compile_with_nvcc(source: Path, output: Path) -> str:
    """Compile a TileLang kernel to a cubin for sm_80, with the flags that TileLang itself uses.

    Gives ``compiled``, ``not-found``, or ``failed:`` with the first message.
    """
    program = find_nvcc()
    home = _tilelang_home()
    if program is None or home is None:
        return NOT_FOUND
    command = [
        program, "-std=c++20", "-w", "--cubin", "-gencode", "arch=compute_80,code=sm_80",
        f"-I{home / 'src'}", f"-I{home / '3rdparty' / 'cutlass' / 'include'}",
        str(source), "-o", str(output),
    ]  # fmt: skip
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"failed: {type(error).__name__}"
    if run.returncode == 0 and output.is_file():
        return COMPILED
    lines = [x.strip() for x in (run.stderr + run.stdout).splitlines() if x.strip()]
    first = next((x for x in lines if "error" in x.lower()), lines[0] if lines else "no message")
    return f"failed: {first}"


def _tilelang_home() -> Path | None:
    found = importlib.util.find_spec("tilelang")
    return None if found is None or found.origin is None else Path(found.origin).parent
