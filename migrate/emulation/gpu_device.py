"""Whether this machine has a CUDA compiler and a device: asked here, and nowhere else."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache

from migrate.core.codes.usage import NO_GPU
from migrate.core.diagnostics import Diagnostic, Outcome, Suggestion, Trust, UserError

_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Gpu:
    """A compiler and the first device: its name, its compute capability as in ``sm_90``."""

    nvcc: str
    version: str
    device: str
    architecture: str


def find_nvcc() -> str | None:
    """The path of NVIDIA's compiler, where it is installed."""
    return shutil.which("nvcc")


def first_line(command: tuple[str, ...], wanted: str = "") -> str | None:
    """The first line that a tool prints, or the first with a word in it; None without the tool."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        run = subprocess.run(
            [program, *command[1:]], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = [x.strip() for x in run.stdout.splitlines() if wanted in x and x.strip()]
    return lines[0] if run.returncode == 0 and lines else None


def find_device() -> tuple[str, str] | None:
    """(name, architecture) of the first device that the driver lists."""
    query = ("nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader")
    name, _, capability = (first_line(query) or "").rpartition(",")
    major, _, minor = capability.strip().partition(".")
    if not name or not (major + minor).isdigit():
        return None
    return name.strip(), f"sm_{major}{minor}"


@lru_cache(maxsize=1)
def find_gpu() -> Gpu:
    """The compiler and the device. Raises :class:`UserError` CM0032 when one of them is missing."""
    nvcc, device = find_nvcc(), find_device()
    missing = [w for w, there in (("nvcc", nvcc), ("a CUDA device", device)) if there is None]
    if nvcc is None or device is None:
        raise UserError(
            Diagnostic(
                NO_GPU,
                Outcome.STOPPED,
                f"{' and '.join(missing)} not found",
                suggestion=Suggestion("leave --oracle at cpu or auto", Trust.SHOW),
            )
        )
    version = first_line(("nvcc", "--version"), "release") or ""
    return Gpu(nvcc, version, *device)


def gpu_or_none() -> Gpu | None:
    """The same, None where something is missing."""
    try:
        return find_gpu()
    except UserError:
        return None
