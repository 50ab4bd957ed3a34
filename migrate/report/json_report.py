"""Reads ``report.json`` back into the model, refusing what is not one (CM0010)."""

from __future__ import annotations

import json
import types
import typing
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.report.model import SCHEMA, Json, Report


class _Mismatch(ValueError):
    """A value does not fit the model; the text says where."""


def _bad(cause: str) -> UserError:
    return UserError(Diagnostic(usage.UNREADABLE_REPORT, Outcome.STOPPED, cause))


def read_report(path: Path) -> Report:
    """The report at ``path``, or at ``path/report.json`` for a directory.

    Raises :class:`UserError` CM0010 when it is missing, not JSON, of another schema, or a field is
    missing or has the wrong type.
    """
    file = path / "report.json" if path.is_dir() else path
    if not file.is_file():
        raise _bad(f"{file} does not exist")
    try:
        data: Json = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise _bad(f"{file}: {error}") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        found = data.get("schema") if isinstance(data, dict) else None
        raise _bad(f"{file} has schema {found!r}, this version reads {SCHEMA}")
    try:
        made = _build(Report, data, "report")
    except _Mismatch as error:
        raise _bad(f"{file}: {error}") from error
    assert isinstance(made, Report)
    return made


def _build(kind: object, value: Json, where: str) -> object:
    origin = typing.get_origin(kind)
    if origin is tuple:
        return _tuple(typing.get_args(kind), value, where)
    if origin in (types.UnionType, typing.Union):
        return _union(typing.get_args(kind), value, where)
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass(kind, value, where)
    if kind is float:
        if isinstance(value, str) and value in ("inf", "-inf", "nan"):
            return float(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif kind in (int, str, bool) and type(value) is kind:
        return value
    raise _Mismatch(f"{where} is {type(value).__name__}, wanted {getattr(kind, '__name__', kind)}")


def _tuple(args: tuple[object, ...], value: Json, where: str) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise _Mismatch(f"{where} is {type(value).__name__}, wanted a list")
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(_build(args[0], v, f"{where}[{i}]") for i, v in enumerate(value))
    if len(args) != len(value):
        raise _Mismatch(f"{where} has {len(value)} items, wanted {len(args)}")
    return tuple(
        _build(a, v, f"{where}[{i}]") for i, (a, v) in enumerate(zip(args, value, strict=True))
    )


def _union(args: tuple[object, ...], value: Json, where: str) -> object:
    for option in args:
        if option is type(None):
            if value is None:
                return None
            continue
        try:
            return _build(option, value, where)
        except _Mismatch:
            continue
    raise _Mismatch(f"{where} is {type(value).__name__}")


def _dataclass(kind: type, value: Json, where: str) -> object:
    if not isinstance(value, dict):
        raise _Mismatch(f"{where} is {type(value).__name__}, wanted an object")
    hints = typing.get_type_hints(kind)
    made: dict[str, object] = {}
    for item in fields(kind):
        if item.name in value:
            made[item.name] = _build(hints[item.name], value[item.name], f"{where}.{item.name}")
        elif item.default is MISSING and item.default_factory is MISSING:
            raise _Mismatch(f"{where}.{item.name} is missing")
    return kind(**made)
