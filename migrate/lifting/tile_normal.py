"""The normal form as the SIMD chip wants it.

The passes are those of :mod:`migrate.lifting.schedule`. Two differences: structure parameters stay
whole (``p.rate`` instead of a parameter ``p_rate``; a kernel takes a structure by value), and
``__constant__`` arrays stay variables of the file instead of becoming parameters.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.analysis.layout import UnionLayout, is_aggregate, leaves, members
from migrate.core.diagnostics import Sink
from migrate.ir.expr import FieldPlace, Place, Read, VarPlace
from migrate.ir.kernel import Kernel, Module, Param
from migrate.ir.simt import Declare, Stmt
from migrate.ir.types import Array, Type
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    declared_names,
    rename,
    root,
    stmt_places,
    var_names,
    walk_stmts,
)
from migrate.lifting.refusal import Refused
from migrate.lifting.schedule import NORMAL_FORM, Pass

_NEEDED = frozenset({"control", "inline", "returns"})
"""Passes without which no code can be made; the others make more of it vector code."""


def normal_form(kernel: Kernel, module: Module, passes: tuple[Pass, ...] = NORMAL_FORM) -> Kernel:
    """The kernel as far as it can be normalised. Raises :class:`Refused`."""
    sink = Sink()
    now = needed = kernel
    for step in passes:
        try:
            made = step.run(now, module, sink)
        except Refused:
            if step.name in _NEEDED:
                raise
            break
        if not _is_closed(made, module):
            break  # the pass took a variable apart that is still used as a whole
        now = made
        if step.name in _NEEDED:
            needed = now
    if any(_has_inner_array(p.type, module) for p in kernel.params):
        # Its members have no place of their own to be put back to, so the structure stays whole.
        return own_params(needed)
    return own_params(whole_params(kernel, now, module))


def _is_closed(kernel: Kernel, module: Module) -> bool:
    """True when every variable that the body names is declared."""
    known = {p.name for p in kernel.params} | declared_names(kernel.body)
    known |= {g.name for g in module.globals}
    used = {n for e in all_exprs(kernel.body) for n in var_names(e)}
    for s in walk_stmts(kernel.body):
        bases = [root(p) for p in stmt_places(s)]
        used |= {b.name for b in bases if isinstance(b, VarPlace)}
    return used <= known


def _has_inner_array(kind: Type, module: Module) -> bool:
    """True for a structure with a union, or an array of structures or of arrays, in it."""
    if not is_aggregate(kind):
        return False
    if isinstance(kind, Array):
        return True
    try:
        inner = members(kind, module)
    except UnionLayout:
        return True
    return any(_has_inner_array(t, module) for _, t in inner)


def whole_params(source: Kernel, now: Kernel, module: Module) -> Kernel:
    """Puts structure parameters back together and drops parameters that stand for globals."""
    if len(now.params) == len(source.params) and all(
        a.name == b.name for a, b in zip(now.params, source.params, strict=True)
    ):
        return now
    places: dict[str, Place] = {}
    params: list[Param] = []
    at = 0
    for p in source.params:
        if not is_aggregate(p.type) or now.params[at].name == p.name:
            params.append(now.params[at])
            at += 1
            continue
        params.append(p)
        for leaf in leaves(p.type, module):
            place: Place = VarPlace(p.name, p.type)
            kinds = _kinds(p.type, leaf.path, module)
            for name, kind in zip(leaf.path, kinds, strict=True):
                place = FieldPlace(place, name, kind)
            places[now.params[at].name] = place
            at += 1

    def rule(p: Place) -> Place | None:
        return places.get(p.name) if isinstance(p, VarPlace) else None

    body = Rewriter(place=rule).body(now.body)
    return replace(now, params=tuple(params), body=body)


def _kinds(kind: Type, path: tuple[str, ...], module: Module) -> tuple[Type, ...]:
    out: list[Type] = []
    for name in path:
        kind = dict(members(kind, module))[name]
        out.append(kind)
    return tuple(out)


def own_params(kernel: Kernel) -> Kernel:
    """Parameters that a thread assigns become locals of it.

    ::

        kernel k (n: i32)            kernel k (n: i32)
          n = (n - 1:i32)              var n2: i32 = n
                                       n2 = (n2 - 1:i32)

    Lanes share the parameters of the kernel that is emitted.
    """
    changed = assigned_names(kernel.body)
    taken = {p.name for p in kernel.params} | declared_names(kernel.body)
    names: dict[str, str] = {}
    head: list[Stmt] = []
    for p in kernel.params:
        if p.name not in changed:
            continue
        trial, n = f"{p.name}2", 3
        while trial in taken:
            trial, n = f"{p.name}{n}", n + 1
        taken.add(trial)
        names[p.name] = trial
        head.append(Declare(trial, p.type, Read(VarPlace(p.name, p.type)), span=p.span))
    if not names:
        return kernel
    return replace(kernel, body=(*head, *rename(kernel.body, names)))
