"""Turns code addresses of a program into source lines, with binutils' ``addr2line``."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Frame:
    """A function at a line; ``file`` is as the compiler saw it, "??" when unknown."""

    function: str
    file: str
    line: int


def find_symboliser() -> str | None:
    """The ``addr2line`` program, or None: findings then have no lines."""
    return shutil.which("addr2line")


def _frame(function: str, place: str) -> Frame:
    file, _, line = place.split(" (discriminator", maxsplit=1)[0].rpartition(":")
    return Frame(function, file, int(line) if line.isdigit() else 0)


def frames_at(program: Path, addresses: Iterable[int]) -> dict[int, tuple[Frame, ...]]:
    """For each return address relative to the image, the frames there, inlined ones first.

    Empty for all when there is no ``addr2line`` or it fails.
    """
    wanted = sorted(set(addresses))
    tool = find_symboliser()
    if tool is None or not wanted:
        return {}
    # A return address is the instruction after the call.
    asked = "".join(f"{max(0, a - 1):#x}\n" for a in wanted)
    try:
        run = subprocess.run(
            [tool, "-e", str(program), "-f", "-C", "-i", "-a"],
            input=asked,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found: dict[int, tuple[Frame, ...]] = {}
    current: list[str] = []
    groups: list[list[str]] = []
    for line in run.stdout.splitlines():
        if line.startswith("0x"):
            current = []
            groups.append(current)
        else:
            current.append(line)
    for address, lines in zip(wanted, groups, strict=False):
        pairs = zip(lines[::2], lines[1::2], strict=False)
        found[address] = tuple(_frame(function, place) for function, place in pairs)
    return found
