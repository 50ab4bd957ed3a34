"""Frozen dataclasses of the program model as JSON, for caches: exact, spans included.

``docs/ir.md`` describes the IR's own text, which people read; it leaves out where nodes came from.
"""

from __future__ import annotations

import dataclasses
import gc
import json
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from migrate.core import compile_settings, diagnostics, span
from migrate.core.span import Span
from migrate.ir import expr, host_code, kernel, program, simt, types

_MODULES: tuple[ModuleType, ...] = (
    compile_settings, diagnostics, span, expr, host_code, kernel, program, simt, types,
)  # fmt: skip
_TUPLE, _ENUM, _BYTES, _PATH, _SPAN = -1, -2, -3, -4, -5

Stored = None | bool | int | float | str | list["Stored"]


class NotStorable(ValueError):
    """A value has a type that the store does not know, or a text is none of its own."""


@lru_cache(maxsize=1)
def _classes() -> dict[str, type]:
    found: dict[str, type] = {}
    for module in _MODULES:
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__:
                if dataclasses.is_dataclass(value) or issubclass(value, Enum):
                    found[f"{module.__name__}.{value.__qualname__}"] = value
    return found


class _Writer:
    def __init__(self) -> None:
        self.names: dict[type, int] = {}
        self.spans: dict[Span, int] = {}
        self._known = {cls: name for name, cls in _classes().items()}

    def number(self, cls: type) -> int:
        if cls not in self._known:
            raise NotStorable(f"{cls.__name__} is not stored")
        return self.names.setdefault(cls, len(self.names))

    def value(self, item: object) -> Stored:
        if item is None or (
            isinstance(item, bool | int | float | str) and not isinstance(item, Enum)
        ):
            return item
        if isinstance(item, Span):
            return [_SPAN, self.spans.setdefault(item, len(self.spans))]
        if isinstance(item, tuple):
            return [_TUPLE, *(self.value(x) for x in item)]
        if isinstance(item, Enum):
            return [_ENUM, self.number(type(item)), str(item.name)]
        if isinstance(item, bytes):
            return [_BYTES, item.decode("latin-1")]
        if isinstance(item, Path):
            return [_PATH, str(item)]
        if dataclasses.is_dataclass(item):
            fields = dataclasses.fields(item)
            return [self.number(type(item)), *(self.value(getattr(item, f.name)) for f in fields)]
        raise NotStorable(f"{type(item).__name__} is not stored")

    def class_names(self) -> list[Stored]:
        return [self._known[cls] for cls in self.names]


def dump(item: object) -> str:
    """JSON of a value made of the model's dataclasses. Raises :class:`NotStorable`."""
    writer = _Writer()
    body = writer.value(item)
    spans: list[Stored] = [
        [s.file, s.start, s.end, s.line, s.column, s.end_line] for s in writer.spans
    ]
    return json.dumps([writer.class_names(), spans, body], separators=(",", ":"))


def _constructor(cls: type) -> Callable[[list[object]], object]:
    if issubclass(cls, Enum):
        return lambda values: cls[str(values[0])]
    if not dataclasses.is_dataclass(cls):
        raise NotStorable(f"{cls.__name__} is no class of the store")
    plain = [f.name for f in dataclasses.fields(cls) if not f.kw_only]
    named = [f.name for f in dataclasses.fields(cls)]
    if plain == named:
        return lambda values: cls(*values)
    return lambda values: cls(**dict(zip(named, values, strict=True)))


class _Reader:
    def __init__(self, names: list[str], spans: list[list[Stored]]) -> None:
        classes = _classes()
        self.makers = [_constructor(classes[n]) for n in names]
        self.spans = [Span(str(s[0]), *(_index(x) for x in s[1:])) for s in spans]

    def value(self, item: Stored) -> object:
        if not isinstance(item, list):
            return item
        kind = item[0]
        if kind == _SPAN:
            return self.spans[_index(item[1])]
        if kind == _TUPLE:
            return tuple(self._values(item))
        if kind == _ENUM:
            return self.makers[_index(item[1])]([item[2]])
        if kind == _BYTES:
            return str(item[1]).encode("latin-1")
        if kind == _PATH:
            return Path(str(item[1]))
        return self.makers[_index(kind)](self._values(item))

    def _values(self, item: list[Stored]) -> list[object]:
        # Most are no lists and stand for themselves: a call for each of them is half of the time.
        return [self.value(x) if isinstance(x, list) else x for x in item[1:]]


def _index(value: Stored) -> int:
    if not isinstance(value, int) or value < 0:
        raise NotStorable(f"{value!r} is no index")
    return value


def load(text: str) -> object:
    """What :func:`dump` was given. Raises :class:`NotStorable` for any other text."""
    # All that is made stays, so the collector would only walk it again and again.
    collecting = gc.isenabled()
    gc.disable()
    try:
        names, spans, body = json.loads(text)
        return _Reader(names, spans).value(body)
    except NotStorable:
        raise
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise NotStorable(f"{type(error).__name__} {error}") from error
    finally:
        if collecting:
            gc.enable()
