"""Command lines as pages show them."""

from __future__ import annotations

from pathlib import Path


def portable(args: list[str]) -> list[str]:
    """Arguments with absolute paths cut to their last part: pages name no machine's folders."""
    return [Path(a).name if a.startswith("/") else a for a in args]
