"""Kernel parameters that are called like a launch function's own parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from migrate.backends.ascendc.kernel_text import LAUNCH_NAMES
from migrate.ir.expr import VarPlace
from migrate.ir.kernel import Param
from migrate.ir.lifted import Lifted
from migrate.ir.walk import rename

_N = TypeVar("_N")


def without_clash_params(params: tuple[Param, ...]) -> tuple[Param, ...]:
    """Parameters with an underscore behind names that launch functions use themselves."""
    return tuple(replace(p, name=f"{p.name}_") if p.name in LAUNCH_NAMES else p for p in params)


def without_clashes(lifted: Lifted) -> Lifted:
    """Kernel parameters that are called like a launch function's own get another name."""
    body = lifted.body
    if body is None or not any(p.name in LAUNCH_NAMES for p in body.params):
        return lifted
    changed = {p.name: f"{p.name}_" for p in body.params if p.name in LAUNCH_NAMES}
    params = without_clash_params(body.params)
    if lifted.tile is not None:
        lifted = replace(lifted, tile=renamed_in(lifted.tile, changed))
    if lifted.lanes is not None:
        lifted = replace(lifted, lanes=renamed_in(lifted.lanes, changed))
    return replace(lifted, body=replace(body, params=params, body=rename(body.body, changed)))


def clash_free(text: str, name: str) -> str:
    """A parameter as written, renamed when its name is one of a launch function's own."""
    return (named(text, name, f"{name}_") or text) if name in LAUNCH_NAMES else text


def named(text: str, written: str, wanted: str) -> str | None:
    """A parameter text whose name is ``wanted``; nothing when it has no name to change."""
    if not written:
        return None
    if written == wanted:
        return text
    at = text.rfind(written)
    return None if at < 0 else f"{text[:at]}{wanted}{text[at + len(written) :]}"


def renamed_in(node: _N, names: Mapping[str, str]) -> _N:
    """Any part of an IR tree with variables and parameters renamed."""
    return cast("_N", _renamed(node, names))


def _renamed(node: object, names: Mapping[str, str]) -> object:
    if isinstance(node, tuple):
        return tuple(_renamed(x, names) for x in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    if not type(node).__module__.startswith("migrate.ir"):
        return node
    changes = {f.name: _renamed(getattr(node, f.name), names) for f in fields(node)}
    if isinstance(node, VarPlace | Param):
        changes["name"] = names.get(node.name, node.name)
    return replace(node, **changes)
