"""Where lines of a preprocessor guard (``#if``, ``#endif``) can stand in C++ source bytes.

Between two lines where the preprocessor reads lines of their own: not in a comment, a string, a
continued line or the arguments of a macro.
"""

from __future__ import annotations

from migrate.core.cpp_text import tokens


def line_start(text: bytes, at: int) -> int:
    """Where the line of a place begins."""
    return text.rfind(b"\n", 0, at) + 1


def next_line(text: bytes, at: int) -> int:
    """The line start at or behind ``at``, an insertion in front of a line taking that line."""
    end = text.find(b"\n", at)
    return len(text) if end < 0 else end + 1


def grown(original: bytes, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of whole lines grown until a guard can stand at both ends of each, and joined.

    A range holds all directives of a conditional or none.
    """
    bad = no_guard_here(original)
    groups = conditionals(original)
    while True:
        found: list[tuple[int, int]] = []
        for a, b in sorted(ranges):
            start, end = a, b
            while start in bad:
                start = line_start(original, start - 1)
            while end in bad and end < len(original):
                end = next_line(original, end)
            for group in groups:
                inside = [start <= at < end for at in group]
                if any(inside) and not all(inside):
                    start = min(start, line_start(original, group[0]))
                    end = max(end, next_line(original, group[-1]))
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        if found == ranges:
            return found
        ranges = found


def no_guard_here(text: bytes) -> frozenset[int]:
    """Line starts in front of which no directive can stand."""
    bad: set[int] = set()
    depth, at = 0, 0
    for token in tokens(text):
        gap = text[at : token.start]
        if depth > 0 or b"/*" in gap:
            bad |= _starts(text, at, token.start)
        bad |= _starts(text, token.start, token.end)
        if token.kind == "mark" and token.text in ("(", "["):
            depth += 1
        elif token.kind == "mark" and token.text in (")", "]"):
            depth = max(0, depth - 1)
        at = token.end
    if b"/*" in text[at:]:
        bad |= _starts(text, at, text.rfind(b"*/"))
    return frozenset(bad)


def _starts(text: bytes, start: int, end: int) -> set[int]:
    return {i + 1 for i in range(start, end) if text[i] == 10}


def conditionals(text: bytes) -> list[list[int]]:
    """The directives of each ``#if`` ... ``#endif``, by where they start."""
    stack: list[list[int]] = []
    groups: list[list[int]] = []
    for token in tokens(text):
        if token.kind != "directive":
            continue
        word = token.text[1:].lstrip(" \t")
        if word.startswith("if"):
            stack.append([token.start])
        elif word.startswith(("el", "endif")) and stack:
            stack[-1].append(token.start)
            if word.startswith("endif"):
                groups.append(stack.pop())
    return groups
