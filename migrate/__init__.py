"""CUDA C++ to TileLang and Ascend C, with evidence that the numbers agree."""

from __future__ import annotations

__version__ = "0.1.0"
