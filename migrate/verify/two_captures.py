"""Two captures of one program side by side: what the same launches found and left, per buffer.

The runs may be of two oracles, the CPU runtime and a device. Their allocations have other numbers
and other addresses: buffers are paired by the arguments that reach them, and a pointer in memory
counts by what it points to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from migrate.ir.kernel import Kernel, Module
from migrate.ir.types import Kind
from migrate.verify.capture import Argument, Buffer, Capture, GlobalBuffer, Launch, PointerWord
from migrate.verify.compare import EXACT, Section, Tolerance, compare_buffer
from migrate.verify.sections import buffer_sections, global_sections

_ALIGNED = 8


@dataclass(frozen=True, slots=True)
class LaunchPair:
    """One launch in both captures. ``problem`` says why they cannot be compared, ``found`` what
    differs, a line a buffer; ``same`` counts buffers and variables that agree."""

    seq: int
    kernel: str
    same: int = 0
    found: tuple[str, ...] = ()
    problem: str = ""


Kernels = Mapping[str, tuple[Kernel, Module]]
"""Kernels that the front end knows, by mangled name; others are compared byte by byte."""


def compare_captures(
    first: Capture,
    second: Capture,
    kernels: Kernels,
    tolerances: Mapping[Kind, Tolerance] | None = None,
) -> tuple[LaunchPair, ...]:
    """Every launch that either capture holds; both must have made the same ones.

    What memory held before has to agree exactly; what was left, within the tolerances (exactly
    where no type is known).
    """
    theirs = {x.seq: x for x in second.launches}
    out: list[LaunchPair] = []
    for x in first.launches:
        y = theirs.pop(x.seq, None)
        if y is None:
            out.append(LaunchPair(x.seq, x.kernel, problem="made by the first run alone"))
            continue
        out.append(_Pair(first, second, x, y, kernels, dict(tolerances or {})).compare())
    rest = sorted(theirs.items())
    out += [LaunchPair(s, y.kernel, problem="made by the second run alone") for s, y in rest]
    return tuple(out)


@dataclass(frozen=True, slots=True)
class _Pair:
    first: Capture
    second: Capture
    x: Launch
    y: Launch
    kernels: Kernels
    tolerances: dict[Kind, Tolerance]

    def compare(self) -> LaunchPair:
        x, y = self.x, self.y
        if (x.mangled, x.grid, x.block) != (y.mangled, y.grid, y.block):
            return self._broken(f"another launch: {y.kernel} with grid {y.grid}, block {y.block}")
        if x.skipped is not None or y.skipped is not None:
            return self._broken(f"not recorded: {x.skipped or y.skipped}")
        if [a.name for a in x.args] != [b.name for b in y.args]:
            return self._broken("other parameters")
        pairs = self._allocations()
        mine = {b.alloc: b for b in x.buffers}
        other = {b.alloc: b for b in y.buffers}
        found = [
            f"argument {a.name}: {a.data.hex()} and {b.data.hex()}"
            for a, b in zip(x.args, y.args, strict=True)
            if _scalar(a) != _scalar(b)
        ]
        same = 0
        for alloc, partner in pairs.items():
            if alloc not in mine or partner not in other:
                found.append(f"allocation {alloc} is in one capture alone")
                continue
            lines = self._contents(f"allocation {alloc}", mine[alloc], other[partner], pairs)
            found += lines
            same += not lines
        unpaired = sorted(set(mine) - set(pairs))
        found += [f"allocation {a} has no partner" for a in unpaired]
        theirs = {g.name: g for g in y.globals}
        for g in x.globals:
            partner_of = theirs.get(g.name)
            if partner_of is None or x.ambiguous == g.name:
                continue
            lines = self._contents(g.name, g, partner_of, pairs)
            found += lines
            same += not lines
        return LaunchPair(x.seq, x.kernel, same, tuple(found))

    def _broken(self, why: str) -> LaunchPair:
        return LaunchPair(self.x.seq, self.x.kernel, problem=why)

    def _allocations(self) -> dict[int, int]:
        """Allocations of the first capture and those of the second that take their place."""
        pairs: dict[int, int] = {}
        pending = list(self._roots())
        mine = {b.alloc: b for b in self.x.buffers}
        other = {b.alloc: b for b in self.y.buffers}
        while pending:
            a, b = pending.pop(0)
            if a < 0 or b < 0 or a in pairs:
                continue
            pairs[a] = b
            if a in mine and b in other:
                pending += _targets(mine[a].pointers, other[b].pointers)
        return pairs

    def _roots(self) -> Iterator[tuple[int, int]]:
        for a, b in zip(self.x.args, self.y.args, strict=True):
            if a.kind == "pointer":
                yield a.alloc, b.alloc
            yield from _targets(a.pointers, b.pointers)
        theirs = {g.name: g for g in self.y.globals}
        for g in self.x.globals:
            if g.name in theirs:
                yield from _targets(g.pointers, theirs[g.name].pointers)

    def _contents(
        self, name: str, a: Buffer | GlobalBuffer, b: Buffer | GlobalBuffer, pairs: dict[int, int]
    ) -> list[str]:
        if a.size != b.size:
            return [f"{name}: {a.size} and {b.size} bytes"]
        back = {there: here for here, there in pairs.items()}
        want, got = self.first.blob(a.before), self.second.blob(b.before)
        exact = dict.fromkeys(Kind, EXACT)
        lines: list[str] = []
        mine, theirs = _plain(want, want, a.pointers, {}), _plain(got, got, b.pointers, back)
        if mine != theirs:
            lines.append(f"{name} before: {_bytes_apart(mine, theirs)}")
        mine = _plain(self.first.blob(a.after), want, a.pointers, {})
        theirs = _plain(self.second.blob(b.after), got, b.pointers, back)
        sections = self._sections(a)
        kept = a.before == a.after
        difference = compare_buffer(mine, theirs, sections, exact if kept else self.tolerances)
        if not difference.equal:
            lines.append(f"{name} after: {difference.wrong} of {difference.elements} differ")
        return lines

    def _sections(self, a: Buffer | GlobalBuffer) -> tuple[Section, ...]:
        known = self.kernels.get(self.x.mangled)
        if known is None:
            return ()
        if isinstance(a, GlobalBuffer):
            return global_sections(a, known[1])
        return buffer_sections(a, self.x, *known)


def _scalar(a: Argument) -> tuple[str, bytes, int]:
    """What of an argument must agree; of a struct with pointers the bytes around them."""
    data = bytearray(a.data)
    for w in a.pointers:
        data[w.at : w.at + _ALIGNED] = w.offset.to_bytes(_ALIGNED, "little")
    return a.kind, bytes(data), a.offset


def _targets(a: tuple[PointerWord, ...], b: tuple[PointerWord, ...]) -> Iterator[tuple[int, int]]:
    there = {w.at: w.alloc for w in b}
    return ((w.alloc, there[w.at]) for w in a if w.at in there)


def _plain(
    content: bytes, before: bytes, pointers: tuple[PointerWord, ...], names: Mapping[int, int]
) -> bytes:
    """The content, with allocation and offset in place of each address that is still the same."""
    if not pointers:
        return content
    out = bytearray(content)
    for w in pointers:
        word = slice(w.at, w.at + _ALIGNED)
        if content[word] == before[word]:
            alloc = names.get(w.alloc, w.alloc)
            out[word] = (alloc << 40 | w.offset).to_bytes(_ALIGNED, "little", signed=False)
    return bytes(out)


def _bytes_apart(a: bytes, b: bytes) -> str:
    first = next(i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)
    return f"{sum(x != y for x, y in zip(a, b, strict=True))} bytes differ, the first at {first}"
