"""Functions that host code shares with device code: what is left of them in a migrated file."""

from __future__ import annotations

from migrate.backends.ascendc.file_text import DevicePart
from migrate.core.cpp_text import tokens
from migrate.ir.program import Definition

_HOST_WORDS = frozenset({"__host__", "__device__", "__forceinline__", "__noinline__"})


def removed(source: bytes, d: Definition) -> DevicePart:
    """A definition taken out with its comment and the blank line after it."""
    start = d.span.start if d.comment is None else d.comment.start
    end = d.span.end
    line = source.rfind(b"\n", 0, start) + 1
    alone = not source[line:start].strip() and source[end : end + 2].lstrip(b" \t")[:1] in (
        b"\n",
        b"\r",
    )
    if alone:
        start = line
    blank_before = not source[: max(line - 1, 0)].rpartition(b"\n")[2].strip()
    for _ in range(2 if blank_before else 1):
        line = source.find(b"\n", end)
        if line < 0 or source[end:line].strip():
            break
        end = line + 1
    return DevicePart(start, end, "")


def host_only(source: bytes, d: Definition) -> list[DevicePart]:
    """Host code keeps the function; CUDA's qualifiers go."""
    if not d.host_too:
        return [removed(source, d)]
    out = []
    for t in tokens(source, d.span.start, d.span.end):
        if t.text in _HOST_WORDS:
            end = t.end
            while source[end : end + 1] in (b" ", b"\t"):
                end += 1
            word = "inline " if t.text == "__forceinline__" else ""
            out.append(DevicePart(t.start, end, word))
        if t.text == "{":
            break
    return out
