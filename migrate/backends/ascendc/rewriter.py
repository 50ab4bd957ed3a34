"""Nested rewriting of one source file: what stands inside a rewritten call is rewritten as well.

All text here is bytes read as Latin-1, so that every byte of the source survives whatever its
encoding is; generated text comes in through :func:`generated`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from migrate.core.codes import internal
from migrate.core.diagnostics import InternalError
from migrate.core.edits import Edit


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Replaces ``[start, end)`` by what ``build`` gives when asked.

    ``build`` may call :meth:`Rewriter.text` for parts of its range, not for the whole of it.
    """

    start: int
    end: int
    build: Callable[[], str]
    order: int = 0


def generated(text: str, newline: bytes = b"\n") -> str:
    """Unicode text as the bytes that will stand in the file, read as Latin-1."""
    data = text.encode("utf-8", "surrogateescape")
    return data.replace(b"\n", newline).decode("latin-1")


@dataclass(slots=True)
class Rewriter:
    """Collects rewrites of one file; ranges are nested or apart, never crossed."""

    source: bytes
    _items: dict[tuple[int, int, int], Rewrite] = field(default_factory=dict)

    def add(self, start: int, end: int, build: Callable[[], str] | str, order: int = 0) -> None:
        """Add a rewrite; a second one of the same range is ignored (a macro seen twice).

        ``order`` sorts insertions at one place.
        """
        made = _always(build) if isinstance(build, str) else build
        self._items.setdefault((start, end, order), Rewrite(start, end, made, order))

    @property
    def has_any(self) -> bool:
        """True once a rewrite was added."""
        return bool(self._items)

    def text(self, start: int, end: int) -> str:
        """The source of a range with the rewrites inside it applied."""
        parts: list[str] = []
        at = start
        for item in self._outermost(start, end):
            parts += (self.source[at : item.start].decode("latin-1"), item.build())
            at = item.end
        parts.append(self.source[at:end].decode("latin-1"))
        return "".join(parts)

    def edits(self) -> tuple[Edit, ...]:
        """Edits for the outermost rewrites of the whole file."""
        return tuple(
            Edit(i.start, i.end, i.build().encode("latin-1"))
            for i in self._outermost(0, len(self.source))
        )

    def _outermost(self, start: int, end: int) -> tuple[Rewrite, ...]:
        inside = [i for i in self._items.values() if start <= i.start and i.end <= end]
        inside.sort(key=lambda i: (i.start, i.end > i.start, -i.end, i.order))
        out: list[Rewrite] = []
        reached = start
        for item in inside:
            if item.start >= reached:
                out.append(item)
                reached = item.end
            elif item.end > reached:
                detail = f"rewrites cross at byte {item.start}"
                raise InternalError(internal.BACKEND_FAULT, detail)
        return tuple(out)


def _always(text: str) -> Callable[[], str]:
    return lambda: text
