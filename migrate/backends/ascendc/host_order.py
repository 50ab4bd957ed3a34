"""Where a blocking CUDA call must wait for work that AscendCL would not wait for.

``cudaMemcpy`` and its kin run after everything launched before; ``aclrtMemcpy`` does not. A host
synchronisation in front keeps CUDA's order. It is left out only where nothing can be running: in
straight-line code after a synchronisation (or at the start of ``main``) with no launch, no call
that may start work and no mention of a function of the program that launches in between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from migrate.backends.ascendc.host_scan import FoundCall
from migrate.core.cpp_text import Token, closing

WAITS = frozenset(
    {
        "cudaMemcpy", "cudaMemcpy2D", "cudaMemset", "cudaMemset2D", "cudaFree", "cudaFreeHost",
        "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaMemcpyPeer",
    }
)  # fmt: skip
"""CUDA calls that wait for (or are ordered behind) the work of the device."""
SYNCHRONISES = frozenset({"cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaDeviceReset"})
"""Calls after which nothing is running."""
_STARTS = re.compile(
    r"cuda\w+Async|cuda(Launch|GraphLaunch)\w*|cuLaunch\w*|nccl[A-Z]\w*"
    r"|cu(blas|fft|rand|sparse|solver|dnn)[A-Z]\w*"
)
"""Calls that may leave the device at work: those of CUDA's libraries are not told apart."""
_LOOPS = frozenset({"for", "while", "do"})


@dataclass(frozen=True, slots=True)
class _Event:
    """Something on the way through a function, at a byte offset."""

    at: int
    makes_dirty: bool = False
    makes_clean: bool = False
    asks: bool = False


def needs_wait(
    found: tuple[Token, ...],
    launches: tuple[int, ...],
    calls: tuple[FoundCall, ...],
    own_functions: frozenset[str],
    launch_in_macro: bool,
) -> frozenset[int]:
    """Offsets of the calls in ``WAITS`` that need a synchronisation in front."""
    asking = frozenset(c.start for c in calls if c.name in WAITS)
    hidden = any(c.in_macro and _STARTS.fullmatch(c.name) for c in calls)
    if hidden or launch_in_macro or _launch_in_lambda(found, launches):
        return asking
    in_macro = {c.start for c in calls if c.in_macro}
    events = _events(found, launches, calls, own_functions)
    return (_Walk(found, events).run() | in_macro) & asking


def _events(
    found: tuple[Token, ...],
    launches: tuple[int, ...],
    calls: tuple[FoundCall, ...],
    own: frozenset[str],
) -> dict[int, _Event]:
    events = {at: _Event(at, makes_dirty=True) for at in launches}
    for t in found:
        if t.kind == "word" and t.text in own:
            events.setdefault(t.start, _Event(t.start, makes_dirty=True))
    for c in calls:
        if c.in_macro:
            continue
        if c.name in WAITS:
            events[c.start] = _Event(c.start, asks=True, makes_clean=True)
        elif c.name in SYNCHRONISES:
            events[c.start] = _Event(c.start, makes_clean=True)
        elif _STARTS.fullmatch(c.name):
            events[c.start] = _Event(c.start, makes_dirty=True)
    return events


def _launch_in_lambda(found: tuple[Token, ...], starts: tuple[int, ...]) -> bool:
    for i, t in enumerate(found):
        if t.text != "{" or i == 0:
            continue
        before = found[i - 1]
        opens = before.text == "]" or (before.text == ")" and _before_parens(found, i - 1) == "]")
        if not opens:
            continue
        close = closing(found, i)
        end = found[-1].end if close is None else found[close].end
        if any(t.start < s < end for s in starts):
            return True
    return False


def _before_parens(found: tuple[Token, ...], index: int) -> str:
    depth = 0
    for i in range(index, -1, -1):
        depth += (found[i].text == ")") - (found[i].text == "(")
        if depth == 0:
            return found[i - 1].text if i > 0 else ""
    return ""


class _Walk:
    """Follows braces: what a branch or loop body cleans is not taken for granted after it."""

    def __init__(self, found: tuple[Token, ...], events: dict[int, _Event]) -> None:
        self.found, self.events = found, events
        self.answers: set[int] = set()

    def run(self) -> frozenset[int]:
        """Every function body from its opening brace on."""
        i = 0
        while i < len(self.found):
            if self.found[i].text == "{" and self._is_function(i):
                close = closing(self.found, i)
                close = len(self.found) - 1 if close is None else close
                self._block(i + 1, close, clean=self._is_main(i))
                i = close
            i += 1
        return frozenset(self.answers)

    def _is_function(self, brace: int) -> bool:
        before = self.found[brace - 1].text if brace else ""
        return before in (")", "const", "noexcept", "override")

    def _is_main(self, brace: int) -> bool:
        depth = 0
        for i in range(brace - 1, -1, -1):
            depth += (self.found[i].text == ")") - (self.found[i].text == "(")
            if depth == 0:
                return i > 0 and self.found[i - 1].text == "main"
        return False

    def _dirty_inside(self, first: int, last: int) -> bool:
        low, high = self.found[first].start, self.found[min(last, len(self.found) - 1)].start
        return any(e.makes_dirty for e in self.events.values() if low <= e.at <= high)

    def _block(self, first: int, last: int, clean: bool) -> bool:
        """Walk tokens ``[first, last)``; the state at the end."""
        i = first
        while i < last:
            t = self.found[i]
            if t.text in _LOOPS and t.kind == "word":
                end = self._statement_end(i, last)
                inside = clean and not self._dirty_inside(i, end - 1)
                after = self._nested(i + 1, end, inside)
                clean = inside and after
                i = end
                continue
            if t.text in ("if", "else", "switch", "case", "default", "try", "catch"):
                end = self._statement_end(i, last)
                after = self._nested(i + 1, end, clean)
                clean = clean and after
                i = end
                continue
            if t.text in ("goto", "?"):
                clean = False
            clean = self._event(t, clean)
            i += 1
        return clean

    def _nested(self, first: int, last: int, clean: bool) -> bool:
        return self._block(first, last, clean)

    def _event(self, t: Token, clean: bool) -> bool:
        event = self.events.get(t.start)
        if event is None:
            return clean
        if event.asks and not clean:
            self.answers.add(event.at)
        if event.makes_dirty:
            return False
        return True if event.makes_clean else clean

    def _statement_end(self, index: int, last: int) -> int:
        """One past the end of the statement that a keyword at ``index`` begins."""
        i = index + 1
        while i < last:
            text = self.found[i].text
            if text in ("(", "["):
                close = closing(self.found, i)
                i = last if close is None else close + 1
                continue
            if text == "{":
                close = closing(self.found, i)
                return last if close is None else close + 1
            if text in (";", ":"):
                return i + 1
            i += 1
        return last
