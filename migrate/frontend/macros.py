"""Which macro use a piece of code comes from."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from migrate.frontend.declarations import Declarations


@dataclass(frozen=True, slots=True)
class MacroUse:
    """Where a macro is used."""

    name: str
    file: str
    start: int
    end: int


class MacroUses:
    """Finds the macro whose body a piece of code comes from."""

    def __init__(self, declarations: Declarations) -> None:
        self._by_file: dict[str, list[MacroUse]] = {}
        for c in declarations.macro_uses:
            extent = c.extent
            use = MacroUse(c.name, extent.file, extent.start, extent.end)
            self._by_file.setdefault(extent.file, []).append(use)
        for uses in self._by_file.values():
            uses.sort(key=lambda u: u.start)
        self._starts = {f: [u.start for u in uses] for f, uses in self._by_file.items()}

    def around(self, file: str, offset: int) -> MacroUse | None:
        """The smallest macro use that holds an offset."""
        uses = self._by_file.get(file, [])
        at = bisect_right(self._starts.get(file, []), offset) - 1
        while at >= 0:
            if uses[at].end > offset:
                return uses[at]
            at -= 1
        return None


@dataclass(frozen=True, slots=True)
class Site:
    """Where a call is written, or the macro use whose body holds it."""

    file: str
    start: int
    end: int
    macro: str | None


def balanced(text: bytes) -> bool:
    """Whether brackets close in the order in which they open, quoted text aside."""
    pairs = {b")": b"(", b"]": b"[", b"}": b"{"}
    stack: list[bytes] = []
    quote = b""
    at = 0
    while at < len(text):
        ch = text[at : at + 1]
        if quote:
            if ch == b"\\":
                at += 1
            elif ch == quote:
                quote = b""
        elif ch in (b'"', b"'"):
            quote = ch
        elif ch in pairs.values():
            stack.append(ch)
        elif ch in pairs:
            if not stack or stack.pop() != pairs[ch]:
                return False
        at += 1
    return not stack
