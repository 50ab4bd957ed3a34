"""Finds shipped data: in a checkout beside the package, in a wheel inside it."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def data_dir(name: str) -> Path:
    """The directory ``rules``, ``templates`` or ``docs/diagnostics``.

    Raises ``FileNotFoundError`` when the installation is not whole.
    """
    for candidate in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the installation lacks {name}/")


def include_dir() -> Path:
    """The directory with ``cuda_emu/`` and ``ascendc_emu/``, for ``-I``."""
    return _PACKAGE / "emulation" / "include"


def cuda_library_dir() -> Path:
    """The directory with CUB, Thrust and libcu++ in plain CUDA C++, for ``-I``."""
    return _PACKAGE / "cuda_library"
