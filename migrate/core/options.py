"""Options of a run. This module alone reads the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from migrate.core.targets import Target


class DoublePolicy(Enum):
    """What to do with double precision where a chip has none.

    ``SOFT``: integer arithmetic, exact and slow. ``FP32``: single precision, a weaker guarantee.
    """

    REFUSE = "refuse"
    FP32 = "fp32"
    SOFT = "soft"


class OracleKind(Enum):
    """What runs the original: the CPU runtime, a CUDA device, or a device where there is one."""

    CPU = "cpu"
    GPU = "gpu"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for running untrusted programs: seconds of wall time, bytes of memory and files.

    ``memory_bytes`` bounds what is in use and, with ``reserved_bytes`` on top, the address space:
    memory that is asked for and never touched costs nothing.
    ``output_bytes`` bounds what is printed, ``processes`` how many processes run at once.
    """

    seconds: float = 60.0
    memory_bytes: int = 8 << 30
    file_bytes: int = 2 << 30
    reserved_bytes: int = 24 << 30
    output_bytes: int = 256 << 20
    processes: int = 1024


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that steers a conversion.

    ``run`` false compiles and runs nothing (``--no-run``). ``program_args`` are given to the
    original program when it is captured, ``other_args`` are further lists of arguments for kernels
    that those do not reach. ``reuse_runs`` takes runs of unchanged originals from the
    cache (``--no-cache`` does not), of which ``cache_bytes`` are kept. ``fuzz`` launches a kernel
    are generated beside the captured ones, from ``seed`` (0: none, and no order is tried).
    ``oracle`` says what runs the original.
    """

    target: Target
    double: DoublePolicy = DoublePolicy.SOFT
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "c++17"
    run: bool = True
    program_args: tuple[str, ...] = ()
    other_args: tuple[tuple[str, ...], ...] = ()
    limits: Limits = field(default_factory=Limits)
    rules_dirs: tuple[Path, ...] = ()
    cxx: str | None = None
    cache_dir: Path = field(default_factory=lambda: default_cache_dir())  # noqa: PLW0108  (defined below)
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    reuse_runs: bool = True
    fission: bool = field(default_factory=lambda: default_fission())  # noqa: PLW0108  (as above)
    cache_bytes: int = 2 << 30
    fuzz: int = 0
    seed: int = 1
    oracle: OracleKind = OracleKind.CPU


def default_cache_dir() -> Path:
    """``$CUDAMIGRATE_CACHE_DIR``, else ``$XDG_CACHE_HOME/cudamigrate``, else ``~/.cache/...``."""
    own = os.environ.get("CUDAMIGRATE_CACHE_DIR")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "cudamigrate"


def default_fission() -> bool:
    """Whether kernels of originals may run as loops: unless ``$CUDAMIGRATE_FISSION`` is ``0``."""
    return os.environ.get("CUDAMIGRATE_FISSION") != "0"


def default_cxx() -> str | None:
    """``$CXX`` when it is set, else nothing: the toolchain search decides."""
    return os.environ.get("CXX") or None


def base_environment() -> dict[str, str]:
    """The environment for subprocesses: the caller's, since compilers need PATH and locale."""
    return dict(os.environ)
