"""Source bytes: spans with lines, and the comments that stand above a position."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

from migrate.core.span import Span


class SourceText:
    """The bytes of one file with an index of its lines."""

    __slots__ = ("_starts", "data", "path")

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        starts = [0]
        at = data.find(b"\n")
        while at >= 0:
            starts.append(at + 1)
            at = data.find(b"\n", at + 1)
        self._starts = starts

    def span(self, start: int, end: int) -> Span:
        """The span of ``[start, end)``."""
        line = bisect_right(self._starts, start)
        end_line = bisect_right(self._starts, max(start, end - 1))
        column = start - self._starts[line - 1] + 1
        return Span(self.path, start, end, line, column, end_line)

    def text(self, start: int, end: int) -> str:
        """Decoded text; bytes that are no UTF-8 are replaced, since this is for reading only."""
        return self.data[start:end].decode("utf-8", errors="replace")

    def comment_before(self, start: int) -> tuple[int, int] | None:
        """The range of the comment lines directly above ``start``, if it begins its line."""
        line_start = self._starts[bisect_right(self._starts, start) - 1]
        if self.data[line_start:start].strip():
            return None
        end = len(self.data[:line_start].rstrip(b" \t\r\n"))
        # One blank line between comment and code cuts the tie.
        if self.data[end:line_start].count(b"\n") > 1:
            return None
        if self.data[:end].endswith(b"*/"):
            begin = self.data.rfind(b"/*", 0, end)
            if begin < 0:
                return None
            head = self._starts[bisect_right(self._starts, begin) - 1]
            return None if self.data[head:begin].strip() else (begin, end)
        begin = end
        at = end
        while at > 0:
            head = self._starts[bisect_right(self._starts, at - 1) - 1]
            stripped = self.data[head:at].strip()
            if not stripped.startswith(b"//"):
                break
            begin = head + (len(self.data[head:at]) - len(self.data[head:at].lstrip()))
            at = max(0, head - 1)
        return None if begin == end else (begin, end)

    def note(self, start: int) -> str:
        """The comment above ``start`` without its marks, lines joined by newlines."""
        found = self.comment_before(start)
        return "" if found is None else strip_comment(self.text(*found))


def strip_comment(text: str) -> str:
    """A comment's words: ``//``, ``/*``, ``*/`` and leading stars removed."""
    lines: list[str] = []
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("//"):
            line = line.lstrip("/")
        else:
            line = line.removeprefix("/*").removesuffix("*/")
            line = line.lstrip("*")
        line = line.strip()
        if line.strip("-=*#/ "):
            lines.append(line)
    return "\n".join(lines)


class Sources:
    """Files by the name under which clang reports them, read once."""

    def __init__(self) -> None:
        self._files: dict[str, SourceText] = {}

    def add(self, name: str, data: bytes) -> SourceText:
        """Register a file's content."""
        self._files[name] = SourceText(name, data)
        return self._files[name]

    def get(self, name: str) -> SourceText:
        """The file's text; empty when it cannot be read."""
        if name not in self._files:
            try:
                data = Path(name).read_bytes()
            except OSError:
                data = b""
            self.add(name, data)
        return self._files[name]
