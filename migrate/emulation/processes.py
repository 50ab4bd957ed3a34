"""The processes below one: which they are and what memory they use (Linux)."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process and all below it use at a moment: processes, bytes of their own memory."""

    processes: int
    memory: int


def descendants(pid: int, most: int = 100_000) -> tuple[int, ...]:
    """The processes below ``pid``, parents first, until there are more than ``most``.

    Empty where the system does not tell.
    """
    found: list[int] = []
    pending = [pid]
    while pending and len(found) <= most:
        lists: list[Path] = []
        with contextlib.suppress(OSError):  # a process may end while its folder is read
            lists += Path(f"/proc/{pending.pop()}/task").glob("*/children")
        for children in lists:
            with contextlib.suppress(OSError, ValueError):
                below = [int(word) for word in children.read_text().split()]
                found += below
                pending += below
    return tuple(found)


def _own_memory(pid: int) -> int:
    """Resident bytes that no file stands behind; 0 for a process that is gone."""
    try:
        words = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return (int(words[1]) - int(words[2])) * _PAGE if len(words) > 2 else 0


def usage_below(pid: int, most: int) -> Usage:
    """What the processes below ``pid`` use together; counting ends above ``most``."""
    below = descendants(pid, most)
    return Usage(len(below), sum(map(_own_memory, below)))
