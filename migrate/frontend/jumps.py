"""``goto`` as structured control flow.

While a function is read, a ``goto`` and a label are marker statements. A statement list that holds
labels is then rewritten:

* Jumps ahead set a flag. Loops between the jump and its label are left with ``break``; what lies
  between is guarded by the flag.

      Before: ``a; if (c) goto done; b; done: d``
      After:  ``a; done = false; if (c) { done = true } if (!done) { b } d``

* Jumps back make a loop of everything from the label to the last of them.

      Before: ``again: a; if (c) goto again; b``
      After:  ``while (true) { a; if (c) continue; break } b``

A marker that is left over jumps into a block, which has no structured form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from migrate.frontend.convert import invert
from migrate.ir.expr import Const, Expr, Place, Read, Text, VarPlace
from migrate.ir.simt import (
    Assign,
    Break,
    Continue,
    Declare,
    DoWhile,
    Effect,
    For,
    If,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import BOOL
from migrate.ir.walk import Rewriter, declared_name, sub_bodies, walk_stmts

_JUMP = "goto"
_LABEL = "label"
TRUE = Const(True, BOOL)


class Unstructured(Exception):
    """A jump has no structured form; says why."""


def jump_to(label: str) -> Effect:
    """What stands for ``goto label`` until the label is met."""
    return Effect(_JUMP, (Text(label),))


def label_here(label: str) -> Effect:
    """What stands for ``label:`` until its statement list is complete."""
    return Effect(_LABEL, (Text(label),))


def open_jumps(body: tuple[Stmt, ...]) -> tuple[str, ...]:
    """Labels of the jumps in a body that no label has met."""
    found = (_named(s, _JUMP) for s in walk_stmts(body))
    return tuple(dict.fromkeys(x for x in found if x is not None))


def _named(s: Stmt, kind: str) -> str | None:
    if isinstance(s, Effect) and s.name == kind and len(s.args) == 1:
        text = s.args[0]
        return text.value if isinstance(text, Text) else None
    return None


def structured(body: tuple[Stmt, ...], fresh: Callable[[str], str]) -> tuple[Stmt, ...]:
    """A statement list without its label markers; ``fresh`` gives names to flags.

    Raises :class:`Unstructured`.
    """
    while True:
        at = next((i for i, s in enumerate(body) if _named(s, _LABEL) is not None), None)
        if at is None:
            return body
        label = _named(body[at], _LABEL)
        assert label is not None
        ahead = _resolve_ahead(body[:at], label, fresh)
        rest = body[at + 1 :]
        last = max((i for i, s in enumerate(rest) if label in open_jumps((s,))), default=-1)
        region, after = structured(rest[: last + 1], fresh), rest[last + 1 :]
        if region:
            kept, region = _hoisted(region, after)
            region = (*kept, *_resolve_back(region, label, fresh))
        body = (*ahead, *region, *after)


def _hoisted(
    region: tuple[Stmt, ...], after: tuple[Stmt, ...]
) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...]]:
    """Variables that are declared in a loop and used behind it, and the loop without them."""
    names = frozenset(n for s in region if (n := declared_name(s)) is not None)
    later = names & _mentioned(after)
    kept: list[Stmt] = []
    found: list[Stmt] = []
    for s in region:
        if declared_name(s) not in later:
            found.append(s)
            continue
        if not isinstance(s, Declare):
            raise Unstructured("a result is used behind the jump")
        kept.append(replace(s, init=None))
        if s.init is not None:
            found.append(Assign(VarPlace(s.name, s.type), s.init, span=s.span))
    return tuple(kept), tuple(found)


def _mentioned(body: tuple[Stmt, ...]) -> frozenset[str]:
    found: set[str] = set()

    def place(p: Place) -> Place | None:
        if isinstance(p, VarPlace):
            found.add(p.name)
        return None

    Rewriter(place=place).body(body)
    return frozenset(found)


def _resolve_ahead(
    body: tuple[Stmt, ...], label: str, fresh: Callable[[str], str]
) -> tuple[Stmt, ...]:
    """Rewrite the jumps in ``body`` to a label that stands right behind it."""
    at = next((i for i, s in enumerate(body) if label in open_jumps((s,))), None)
    if at is None:
        return body
    flag = VarPlace(fresh(f"leave_for_{label}"), BOOL)
    declared = Declare(flag.name, BOOL, Const(False, BOOL), span=body[at].span)
    return (*body[:at], declared, *_guarded(body[at:], label, flag))


def _guarded(body: tuple[Stmt, ...], label: str, flag: VarPlace) -> tuple[Stmt, ...]:
    """Outside of loops: what follows a jump runs only when the flag is not set."""
    for i, s in enumerate(body):
        if label not in open_jumps((s,)):
            continue
        rest = _guarded(body[i + 1 :], label, flag)
        # variables without a value may be used behind the label
        kept = tuple(x for x in rest if isinstance(x, Declare) and x.init is None)
        rest = tuple(x for x in rest if x not in kept)
        if _is_jump(s, label):
            return (*body[:i], Assign(flag, TRUE, span=s.span), *kept)
        inner = _inside(s, label, flag)
        guard = (If(invert(Read(flag)), rest, span=s.span),) if rest else ()
        return (*body[:i], *kept, inner, *guard)
    return body


def _inside(s: Stmt, label: str, flag: VarPlace) -> Stmt:
    if isinstance(s, If):
        return replace(s, then=_guarded(s.then, label, flag), other=_guarded(s.other, label, flag))
    return _leaving(s, label, flag)


def _leaving(s: Stmt, label: str, flag: VarPlace) -> Stmt:
    """A loop or switch that a jump leaves."""
    match s:
        case For(body=body) | While(body=body) | DoWhile(body=body):
            return replace(s, body=_broken(body, label, flag))
        case Switch(cases=cases):
            arms = tuple(replace(c, body=_broken(c.body, label, flag)) for c in cases)
            return replace(s, cases=arms)
        case If(then=then, other=other):
            return replace(s, then=_broken(then, label, flag), other=_broken(other, label, flag))
        case _:
            return s


def _broken(body: tuple[Stmt, ...], label: str, flag: VarPlace) -> tuple[Stmt, ...]:
    """Inside of a loop or switch: a jump sets the flag and leaves it."""
    found: list[Stmt] = []
    for s in body:
        if _is_jump(s, label):
            found += [Assign(flag, TRUE, span=s.span), Break(span=s.span)]
            break
        if label in open_jumps((s,)):
            found.append(_leaving(s, label, flag))
            if not isinstance(s, If):
                found.append(If(Read(flag), (Break(span=s.span),), span=s.span))
        else:
            found.append(s)
    return tuple(found)


def _resolve_back(
    body: tuple[Stmt, ...], label: str, fresh: Callable[[str], str]
) -> tuple[Stmt, ...]:
    """Make a loop of a body that begins at a label."""
    if leaves_loop(body):
        raise Unstructured(f"goto {label} in a loop that is left otherwise")
    flag = VarPlace(fresh(f"back_to_{label}"), BOOL)
    rounds = _repeating(body, label, flag)
    if any(label in open_jumps(x) for s in body for x in _loop_bodies(s)):
        rounds = (Declare(flag.name, BOOL, Const(False, BOOL), span=body[0].span), *rounds)
    return (While(TRUE, (*rounds, Break(span=body[-1].span)), span=body[0].span),)


def _loop_bodies(s: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    if isinstance(s, If):
        return tuple(x for b in (s.then, s.other) for y in b for x in _loop_bodies(y))
    return sub_bodies(s)


def _repeating(body: tuple[Stmt, ...], label: str, flag: VarPlace) -> tuple[Stmt, ...]:
    """A jump back is the next round; from inside of a loop by way of the flag."""
    found: list[Stmt] = []
    for s in body:
        if _is_jump(s, label):
            found.append(Continue(span=s.span))
            break
        if label not in open_jumps((s,)):
            found.append(s)
        elif isinstance(s, If):
            then = _repeating(s.then, label, flag)
            found.append(replace(s, then=then, other=_repeating(s.other, label, flag)))
        else:
            found.append(_leaving(s, label, flag))
            again: Expr = Read(flag)
            found.append(If(again, (Continue(span=s.span),), span=s.span))
    return tuple(found)


def _is_jump(s: Stmt, label: str) -> bool:
    return _named(s, _JUMP) == label


def leaves_loop(body: tuple[Stmt, ...], *, in_switch: bool = False) -> bool:
    """Whether a loop body holds a ``break`` or ``continue`` of that loop."""
    for s in body:
        match s:
            case Break() if not in_switch:
                return True
            case Continue():
                return True
            case If(_, then, other):
                if leaves_loop(then, in_switch=in_switch) or leaves_loop(
                    other, in_switch=in_switch
                ):
                    return True
            case Switch(_, cases):
                if any(leaves_loop(case.body, in_switch=True) for case in cases):
                    return True
    return False
