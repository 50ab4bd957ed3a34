"""Findings of the checks as diagnostics: which line of the program, and in which words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrate.core.codes import checks as codes
from migrate.core.diagnostics import Code, Diagnostic, Outcome, Suggestion, Trust
from migrate.core.span import NO_SPAN, Span, span_of
from migrate.emulation.checks import Finding, Memory, Place
from migrate.emulation.symbols import Frame


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The program's own files by the name in its debug information, and the runtime's folders."""

    own: Mapping[str, Path]
    runtime: tuple[Path, ...]

    def is_own(self, frame: Frame) -> bool:
        """Whether the frame is in the program's own text."""
        return frame.file in self.own

    def is_runtime(self, frame: Frame) -> bool:
        """Whether the frame is in the CPU runtime or in the libraries that come with it."""
        return any(Path(frame.file).is_relative_to(folder) for folder in self.runtime)

    def line_of(self, place: Place) -> Frame | None:
        """The innermost frame in the program's own text."""
        return next((f for f in place.frames if self.is_own(f)), None)


@dataclass(frozen=True, slots=True)
class _Kind:
    code: Code
    outcome: Outcome
    help: str


_FAULTS: dict[str, tuple[Code, str]] = {
    "global-bounds": (codes.GLOBAL_BOUNDS, "guard the index with the size of the buffer"),
    "shared-bounds": (codes.SHARED_BOUNDS, "guard the index, or make the array larger"),
    "array-index": (codes.ARRAY_INDEX, "guard the index with the size of the array"),
    "misaligned": (codes.MISALIGNED, "use an offset that is a multiple of the alignment"),
    "use-after-free": (codes.USE_AFTER_FREE, "free the memory after its last use"),
    "host-on-device": (codes.HOST_ON_DEVICE, "copy the data to memory from cudaMalloc"),
    "device-on-host": (codes.DEVICE_ON_HOST, "copy the data to the host first"),
    "wild": (codes.WILD_POINTER, "pass a pointer from cudaMalloc"),
    "null": (codes.WILD_POINTER, "check the allocation, or that the pointer was set"),
    "copy-range": (codes.COPY_RANGE, "make the byte count fit the allocation"),
    "race-block": (codes.RACE_IN_BLOCK, "put __syncthreads() or __syncwarp() between the two"),
    "race-grid": (codes.RACE_ACROSS_BLOCKS, "use an atomic, or a launch of its own"),
    "race-stream": (codes.STREAM_ORDER, "wait for an event of the other stream, or for the stream"),
    "barrier-divergent": (codes.BARRIER_DIVERGENT, "move the barrier out of the branch"),
    "deadlock": (codes.BARRIER_DEADLOCK, "let every thread reach the same barrier"),
    "wrong-mask": (codes.WRONG_MASK, "name every lane that takes part in the mask"),
    "unwritten": (codes.UNWRITTEN_GLOBAL, "fill the memory with cudaMemset or cudaMemcpy"),
    "unwritten-shared": (codes.UNWRITTEN_SHARED, "write the array before it is read"),
    "leak": (codes.LEAK, "free it with the function that fits its allocation"),
    "double-free": (codes.DOUBLE_FREE, "free it once"),
    "bad-free": (codes.BAD_FREE, "free the pointer that the allocation returned"),
}
_REMARKS: dict[str, tuple[Code, str]] = {
    "race-same": (codes.RACE_SAME_VALUE, "let one thread store, or use an atomic"),
    "race-atomic": (codes.RACE_BESIDE_ATOMIC, "read with an atomic, or after a barrier"),
    "barrier-partial": (
        codes.BARRIER_PARTIAL,
        "let all threads reach the barrier before they leave",
    ),
    "unwritten-copy": (codes.UNWRITTEN_COPY, "copy only what was written"),
}


def _kind(name: str) -> _Kind | None:
    if name in _FAULTS:
        return _Kind(_FAULTS[name][0], Outcome.FAULTY, _FAULTS[name][1])
    if name in _REMARKS:
        return _Kind(_REMARKS[name][0], Outcome.DOUBTFUL, _REMARKS[name][1])
    return None


def _span(path: Path, line: int) -> Span:
    """The text of a line, without its indentation."""
    try:
        text = path.read_bytes()
    except OSError:
        return NO_SPAN
    lines = text.split(b"\n")
    if not 0 < line <= len(lines):
        return NO_SPAN
    start = sum(len(x) + 1 for x in lines[: line - 1])
    content = lines[line - 1].rstrip(b"\r")
    indent = len(content) - len(content.lstrip())
    return span_of(str(path), text, start + indent, start + len(content.rstrip()))


def _xyz(values: tuple[int, ...]) -> str:
    return "(" + ",".join(map(str, values)) + ")"


def kernel_words(pretty: str) -> str:
    """The kernel's signature without its return type and the list of template arguments."""
    text = re.sub(r"^(static |inline )*void ", "", pretty)
    return re.sub(r" \[with .*\]$", "", text)


def _who(f: Finding) -> str:
    if f.thread is None:
        return ""
    block, thread = f.thread
    return f"kernel {kernel_words(f.kernel)}, block {_xyz(block)}, thread {_xyz(thread)}: "


def _memory_name(m: Memory) -> str:
    if m.space == "shared":
        return f"the block's shared array {m.allocation}"
    if m.space == "device variable":
        return "a device variable"
    if m.space == "registered host":
        return "registered host memory"
    return f"{m.space} allocation {m.allocation}"


def _where(f: Finding, files: SourceFiles) -> str:
    m = f.memory
    if m is None:
        return f"address {f.address}" if f.address else ""
    offset = f"{'+' if m.offset >= 0 else '-'} {abs(m.offset)}"
    text = f"{_memory_name(m)} {offset} (of {m.size} bytes"
    made = files.line_of(m.made)
    if made is not None and m.space != "device variable":
        text += f", from {Path(made.file).name}:{made.line}"
    freed = files.line_of(m.freed)
    if freed is not None:
        text += f", freed at {Path(freed.file).name}:{freed.line}"
    return text + ")"


def _race_words(f: Finding, files: SourceFiles) -> str:
    mine, theirs = f.texts.get("access", "access"), f.texts.get("other_access", "access")
    text = f"{mine} of {f.numbers.get('bytes', 0)} bytes at {_where(f, files)}"
    other = files.line_of(f.other_place)
    line = f" at line {other.line} of {Path(other.file).name}" if other is not None else ""
    if f.other_thread is None:
        return text
    block, thread = f.other_thread
    return f"{text}, and {theirs}{line} by block {_xyz(block)}, thread {_xyz(thread)}"


def _words(f: Finding, files: SourceFiles) -> str:
    numbers, texts = f.numbers, f.texts
    access = f"{texts.get('access', 'access')} of {numbers.get('bytes', 0)} bytes"
    match f.kind:
        case "race-block" | "race-grid" | "race-same" | "race-atomic":
            return _race_words(f, files)
        case "race-stream":
            other = files.line_of(f.other_place)
            line = f" at line {other.line}" if other is not None else ""
            return (
                f"{access} at {_where(f, files)}, and {texts.get('other_access', '')}{line} by "
                f"{kernel_words(texts.get('other', ''))} in another stream"
            )
        case "array-index":
            return f"index {numbers.get('index', 0)} into {texts.get('type', '')}"
        case "misaligned":
            return (
                f"{texts.get('type', '')} needs {numbers.get('alignment', 0)} bytes of alignment, "
                f"address {f.address} is {_where(f, files)}"
            )
        case "copy-range":
            return (
                f"{texts.get('call', '')} of {numbers.get('bytes', 0)} bytes at {_where(f, files)}"
            )
        case "barrier-divergent":
            other = files.line_of(f.other_place)
            line = f"line {other.line}" if other is not None else "elsewhere"
            thread = _xyz(f.other_thread[1]) if f.other_thread is not None else ""
            return f"waits here while thread {thread} waits at {line}"
        case "barrier-partial":
            return (
                f"{numbers.get('waiting', 0)} of {numbers.get('total', 0)} threads; the rest left"
            )
        case "deadlock":
            return f"{numbers.get('waiting', 0)} threads wait, this one in {texts.get('waits', '')}"
        case "wrong-mask":
            return f"the mask is {numbers.get('mask', 0):#010x}"
        case "unwritten-copy":
            return (
                f"{numbers.get('unwritten', 0)} of {numbers.get('bytes', 0)} bytes from "
                f"{_where(f, files)}"
            )
        case "leak":
            m = f.memory
            return f"{m.size} bytes, {_memory_name(m)}" if m is not None else ""
        case "double-free" | "bad-free":
            return _where(f, files)
        case "host-on-device" | "wild" | "null":
            return f"{access} at address {f.address}"
        case _:
            return f"{access} at {_where(f, files)}"


def _concerns_the_program(f: Finding, files: SourceFiles) -> bool:
    """False for what the runtime's own text does on the program's behalf."""
    frames = f.place.frames
    if f.kind == "host-on-device":
        return bool(frames) and files.is_own(frames[0])
    if f.kind == "device-on-host":
        return bool(frames) and files.is_own(frames[0]) and not any(map(files.is_runtime, frames))
    if f.kind == "barrier-divergent":
        here, there = files.line_of(f.place), files.line_of(f.other_place)
        if here is None or there is None:
            return True
        return (here.file, here.line) != (there.file, there.line)
    return True


def _diagnostic(f: Finding, files: SourceFiles) -> Diagnostic | None:
    kind = _kind(f.kind)
    if kind is None or not _concerns_the_program(f, files):
        return None
    frame = files.line_of(f.place)
    span = NO_SPAN if frame is None else _span(files.own[frame.file], frame.line)
    return Diagnostic(
        kind.code,
        kind.outcome,
        _who(f) + _words(f, files),
        span,
        suggestion=Suggestion(kind.help, Trust.SHOW),
        kernel=kernel_words(f.kernel) or None,
    )


def _line_only(frame: Frame | None) -> Frame | None:
    return None if frame is None else Frame("", frame.file, frame.line)


def diagnostics_of(findings: Sequence[Finding], files: SourceFiles) -> tuple[Diagnostic, ...]:
    """One diagnostic for each code, kernel and line (both lines of a race); the first one found."""
    made: dict[tuple[str, str, frozenset[Frame | None]], Diagnostic] = {}
    wrote: set[tuple[str, str, frozenset[Frame | None]]] = set()
    for finding in findings:
        d = _diagnostic(finding, files)
        if d is not None:
            # A race is met from both of its ends: the pair of lines counts, the reader is shown.
            places = (finding.place, *([finding.other_place] if finding.other_thread else []))
            lines = frozenset(_line_only(files.line_of(place)) for place in places)
            key = (d.code.id, d.kernel or d.cause, lines)
            if key not in made or (key in wrote and finding.texts.get("access") == "read"):
                made[key] = d
                (wrote.add if finding.texts.get("access") == "write" else wrote.discard)(key)
    found = {(d.code.id, d.span, d.kernel) for d in made.values()}
    # Two findings of one cause: an index outside a shared array is seen by its type and by its
    # address; a thread that reads what another has not stored yet has a race, and reads nothing.
    causes = {
        codes.ARRAY_INDEX: codes.SHARED_BOUNDS,
        codes.UNWRITTEN_SHARED: codes.RACE_IN_BLOCK,
        codes.UNWRITTEN_GLOBAL: codes.RACE_ACROSS_BLOCKS,
    }
    return tuple(
        d
        for d in made.values()
        if d.code not in causes or (causes[d.code].id, d.span, d.kernel) not in found
    )
