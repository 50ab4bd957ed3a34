"""Matches patterns against the SIMT IR.

A pattern is IR itself, made from a CUDA fragment; its metavariables are variables that stand for
any expression of their type. Sums and products match in both orders, since IEEE addition and
multiplication commute exactly; nothing is reassociated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from migrate.ir.expr import Binary, BinaryOp, Call, Const, Expr, Read, VarPlace
from migrate.ir.node import Node
from migrate.ir.simt import Stmt
from migrate.ir.types import Scalar
from migrate.ir.walk import Rewriter
from migrate.rules.catalogue import Catalogue
from migrate.rules.fragments import FragmentParser, parse_fragments, pattern_fragment, value_of
from migrate.rules.model import Condition, Form, Rule, RuleKind, Spelling
from migrate.rules.predicates import PREDICATES, Operand

Bindings = Mapping[str, Expr]
"""What each metavariable stands for."""

_COMMUTES = frozenset(
    {BinaryOp.ADD, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR, BinaryOp.EQ, BinaryOp.NE}
)
_COMMUTING_CALLS = frozenset({"fmaxf", "fminf", "fmax", "fmin", "max", "min", "__hmax", "__hmin"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """A rule with its fragment as IR. ``holes`` are the names of the metavariables."""

    rule: Rule
    root: Expr
    holes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """One match: the operands in the order of ``produces``, and a condition that failed, if any."""

    rule: Rule
    operands: tuple[Expr, ...]
    bindings: tuple[tuple[str, Expr], ...]
    failed: Condition | None


def compile_patterns(
    rules: Sequence[Rule], parser: FragmentParser
) -> tuple[tuple[Pattern, ...], tuple[Rule, ...]]:
    """Patterns of the idioms among ``rules``, and the idioms whose fragment is no expression."""
    idioms = [r for r in rules if r.kind is RuleKind.IDIOM]
    bodies = parse_fragments([pattern_fragment(r) for r in idioms], parser)
    good: list[Pattern] = []
    bad: list[Rule] = []
    for rule in idioms:
        root = value_of(bodies.get(rule.id, ()))
        if root is None:
            bad.append(rule)
        else:
            good.append(Pattern(rule, root, frozenset(n for n, _ in rule.variables)))
    return tuple(good), tuple(bad)


def match_expr(pattern: Expr, e: Expr, holes: frozenset[str]) -> Bindings | None:
    """What the holes stand for when ``e`` has the pattern's shape, else ``None``.

    A hole that stands several times must stand for equal expressions of the hole's type.
    """
    return next(_match(pattern, e, holes, {}), None)


def _match(p: object, e: object, holes: frozenset[str], bound: Bindings) -> Iterator[Bindings]:
    match p:
        case Read(VarPlace(name=name, type=kind)) if name in holes:
            if not isinstance(e, Node) or str(getattr(e, "type", "")) != str(kind):
                return
            seen = bound.get(name)
            if seen is None:
                yield {**bound, name: e}  # type: ignore[dict-item]
            elif seen == e:
                yield bound
        case Const(value=value, type=kind):
            if isinstance(e, Const) and e.type == kind and e.value == value:
                yield bound
        case Binary(op, lhs, rhs):
            if not isinstance(e, Binary) or e.op is not op:
                return
            yield from _pair((lhs, rhs), (e.lhs, e.rhs), holes, bound)
            if op in _COMMUTES:
                yield from _pair((lhs, rhs), (e.rhs, e.lhs), holes, bound)
        case Call(name, args, kind):
            if not isinstance(e, Call) or e.name != name or e.type != kind:
                return
            yield from _pair(args, e.args, holes, bound)
            if name in _COMMUTING_CALLS and len(e.args) == 2:
                yield from _pair(args, (e.args[1], e.args[0]), holes, bound)
        case Node():
            if type(e) is not type(p):
                return
            names = [f.name for f in fields(p) if f.compare]
            left = tuple(getattr(p, n) for n in names)
            yield from _pair(left, tuple(getattr(e, n) for n in names), holes, bound)
        case tuple():
            if isinstance(e, tuple):
                yield from _pair(p, e, holes, bound)
        case _:
            if p == e:
                yield bound


def _pair(
    left: tuple[object, ...], right: tuple[object, ...], holes: frozenset[str], bound: Bindings
) -> Iterator[Bindings]:
    """All ways to match two sequences member by member."""
    if len(left) != len(right):
        return
    if not left:
        yield bound
        return
    for first in _match(left[0], right[0], holes, bound):
        yield from _pair(left[1:], right[1:], holes, first)


def find(pattern: Pattern, e: Expr) -> Found | None:
    """A match of ``e`` itself: one whose conditions hold when there is one, else the first."""
    first: Found | None = None
    for bound in _match(pattern.root, e, pattern.holes, {}):
        failed = next((c for c in pattern.rule.conditions if not holds(c, bound)), None)
        operands = tuple(bound[a.removeprefix("$")] for a in pattern.rule.produces.args)
        found = Found(pattern.rule, operands, tuple(sorted(bound.items())), failed)
        if failed is None:
            return found
        first = first or found
    return first


def holds(condition: Condition, bound: Bindings) -> bool:
    """True when a condition holds for these bindings."""
    operands: list[Operand] = [
        bound[a.removeprefix("$")] if a.startswith("$") else a for a in condition.args
    ]
    return PREDICATES[condition.check].test(operands)


def recognise(stmts: tuple[Stmt, ...], patterns: Sequence[Pattern]) -> tuple[Stmt, ...]:
    """Replace each matched idiom by a call of its rule.

    Before: ``y = 1.0f / (1.0f + expf(-x))``; after: ``y = idioms.sigmoid(x)``. The rule is found by
    ``catalogue.intrinsic`` under that name. Inner expressions are matched first.
    """

    def rule(e: Expr) -> Expr | None:
        for pattern in patterns:
            found = find(pattern, e)
            if found is not None and found.failed is None and isinstance(e.type, Scalar):
                return Call(found.rule.id, found.operands, e.type, span=e.span)
        return None

    return Rewriter(expr=rule).body(stmts)


def spell_call(catalogue: Catalogue, target: str, call: Call, form: Form) -> Spelling | None:
    """The spelling of a call, the shorter one when its last operand is a literal that is no NaN."""
    types = tuple(a.type for a in call.args)
    rule = catalogue.intrinsic(call.name, types)
    if rule is None:
        return None
    if form is Form.EXPR and call.args and _is_number(call.args[-1]):
        short = rule.spelling(target, Form.EXPR_CONST, types)
        if short is not None:
            return short
    return rule.spelling(target, form, types)


def _is_number(e: Expr) -> bool:
    return isinstance(e, Const) and e.value == e.value
