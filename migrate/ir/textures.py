"""Which calls and effects of the IR reach textures and surfaces, by their CUDA names.

A surface call carries its boundary mode as the last argument, an integer of CUDA's enumeration.
"""

from __future__ import annotations

import re

from migrate.ir.expr import Call
from migrate.ir.simt import Effect, Stmt
from migrate.ir.walk import all_exprs, walk_stmts

_NAME = re.compile(r"(tex|surf)([123]D|Cubemap)\w*")


def is_texture_name(name: str) -> bool:
    """True for ``tex2D``, ``texCubemapLod``, ``surf2Dwrite`` and their kin."""
    return _NAME.fullmatch(name) is not None


def is_surface_name(name: str) -> bool:
    """True for the reads and writes of surfaces."""
    return name.startswith("surf") and is_texture_name(name)


def texture_use(body: tuple[Stmt, ...]) -> Call | Effect | None:
    """The first texture or surface access of a body, if it has one."""
    for e in all_exprs(body):
        if isinstance(e, Call) and is_texture_name(e.name):
            return e
    for s in walk_stmts(body):
        if isinstance(s, Effect) and is_texture_name(s.name):
            return s
    return None
