"""Which tools a run used, for the report and for ``doctor``."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata

from migrate.core.diagnostics import UserError
from migrate.core.options import Options
from migrate.emulation.gpu_device import find_device, first_line
from migrate.emulation.toolchain import find_compiler

_PACKAGES = ("libclang-ng", "libclang", "tree-sitter-cuda", "tilelang", "torch", "numpy")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool with its version; ``found`` false says what its lack costs in ``note``."""

    name: str
    found: bool
    version: str
    note: str


def _package(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def find_tools(options: Options) -> tuple[Tool, ...]:
    """Every tool that cudamigrate can use, found or not."""
    tools = [Tool("python", True, platform.python_version(), "")]
    try:
        compiler = find_compiler(options.cxx)
        tools.append(Tool("C++ compiler", True, compiler.version, ""))
    except UserError:
        tools.append(Tool("C++ compiler", False, "", "nothing can be run or compared"))
    for name in _PACKAGES:
        version = _package(name)
        if version is None and name in ("libclang", "libclang-ng"):
            continue
        lack = "TileLang output is written but not verified" if name == "tilelang" else ""
        tools.append(Tool(name, version is not None, version or "", lack))
    nvcc = first_line(("nvcc", "--version"), "release")
    tools.append(Tool("nvcc", nvcc is not None, nvcc or "", "CUDA from TileLang is not compiled"))
    gpu = find_device()
    shown = "" if gpu is None else f"{gpu[0]} ({gpu[1]})"
    tools.append(Tool("CUDA device", gpu is not None, shown, "--oracle gpu is not possible"))
    bisheng = first_line(("bisheng", "--version"))
    tools.append(
        Tool("bisheng", bisheng is not None, bisheng or "", "Ascend C is proven on the CPU only")
    )
    return tuple(tools)


def tool_versions(options: Options) -> tuple[tuple[str, str], ...]:
    """(name, version) of the tools that are there."""
    return tuple((t.name, t.version) for t in find_tools(options) if t.found)
