"""What a catalogue must obey. Each check is a function from rules to findings."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from migrate.core.codes import all_codes
from migrate.core.diagnostics import Diagnostic
from migrate.core.targets import Target
from migrate.rules.document import fault
from migrate.rules.model import (
    PRIORITY_ORDER,
    Emission,
    Form,
    Priority,
    Rule,
    RuleKind,
    Signature,
    Status,
    Support,
)
from migrate.rules.operations import HOST_OPERATIONS, OPERATIONS
from migrate.rules.predicates import PREDICATES
from migrate.rules.template import holes

DEVICE_KINDS = frozenset({RuleKind.INTRINSIC, RuleKind.ATOMIC, RuleKind.IDIOM})
"""Kinds whose spellings stand in kernels."""
_VECTOR_FORMS = (Form.VECTOR, Form.VECTOR_TS, Form.VECTOR_ST)
_NUMBERS = re.compile(r"\d+(\.\d+)?\s*(x\b|×|%)")
_MEASURED = re.compile(r"measured on .+, \d{4}-\d{2}-\d{2}")
_METAVARIABLE = re.compile(r"\$([A-Za-z_]\w*)")

Findings = Iterator[tuple[Rule, str]]


def lint_rules(rules: Sequence[Rule]) -> tuple[Diagnostic, ...]:
    """All findings in the order of the rules, as CM0020."""
    found: list[tuple[Rule, str]] = []
    for check in CHECKS:
        found += check(rules)
    order = {id(r): i for i, r in enumerate(rules)}
    found.sort(key=lambda item: order[id(item[0])])
    return tuple(fault(rule.file.shown, cause) for rule, cause in found)


def _duplicate_ids(rules: Iterable[Rule]) -> Findings:
    seen: dict[str, Rule] = {}
    for rule in rules:
        first = seen.setdefault(rule.id, rule)
        if first is not rule and first.priority is rule.priority:
            yield rule, f"id {rule.id!r} stands in {first.file.shown} too"


def _targets(rules: Iterable[Rule]) -> Findings:
    for rule in rules:
        if rule.status is Status.RETIRED:
            continue
        present = {e.target for e in rule.emits}
        for target in Target:
            if target.value not in present:
                yield rule, f"target {target.value!r} is missing under 'emits'"


def _unreachable_entries(rules: Iterable[Rule]) -> Findings:
    """An entry below one that takes the same types is never asked."""
    for rule in rules:
        for target in Target:
            taken: set[str] = set()
            closed = False
            for entry in (e for e in rule.emits if e.target == target.value):
                if closed or (entry.types and set(entry.types) <= taken):
                    yield rule, f"an entry of {target.value!r} is never reached"
                taken |= set(entry.types)
                closed = closed or not entry.types


def _evidence(rules: Iterable[Rule]) -> Findings:
    for rule in rules:
        if not rule.examples:
            yield rule, "there is no example"
        if not rule.near_misses:
            yield rule, "there is no near-miss"
        for miss in rule.near_misses:
            if miss.call is None and not miss.cuda:
                yield rule, f"near-miss {miss.name!r} has neither 'call' nor 'cuda'"
            if miss.call is not None and miss.call in rule.calls:
                yield rule, f"near-miss {miss.name!r} is noisy: the rule matches {miss.call}"
        covered = {m.otherwise for m in rule.near_misses}
        for condition in rule.conditions:
            if condition.otherwise not in covered:
                yield rule, f"no near-miss fails the condition {condition.check!r}"


def _match_fits_kind(rules: Iterable[Rule]) -> Findings:
    for rule in rules:
        has = {
            "calls": bool(rule.calls),
            "host": bool(rule.hosts),
            "names": bool(rule.names),
            "cuda": bool(rule.fragment),
        }
        wanted = {
            RuleKind.INTRINSIC: "calls",
            RuleKind.ATOMIC: "calls",
            RuleKind.IDIOM: "cuda",
            RuleKind.HOST: "host",
            RuleKind.HOST_NAME: "names",
            RuleKind.REFUSAL: "",
        }[rule.kind]
        if wanted and not has[wanted]:
            yield rule, f"a rule of kind {rule.kind.value!r} needs {wanted!r} under 'match'"
        for name, present in has.items():
            if present and wanted and name != wanted:
                yield rule, f"{name!r} under 'match' does not fit kind {rule.kind.value!r}"


def _known_names(rules: Iterable[Rule]) -> Findings:
    for rule in rules:
        op = rule.produces.op
        if rule.kind in DEVICE_KINDS or rule.kind is RuleKind.REFUSAL:
            known = OPERATIONS.get(op)
            if known is None:
                yield rule, f"there is no operation {op!r}"
            else:
                count = len(rule.produces.args)
                if count < known.least or (known.most is not None and count > known.most):
                    yield rule, f"operation {op!r} does not take {count} operands"
        elif op not in HOST_OPERATIONS:
            yield rule, f"there is no host operation {op!r}"
        for condition in rule.conditions:
            predicate = PREDICATES.get(condition.check)
            if predicate is None:
                yield rule, f"there is no predicate {condition.check!r}"
            elif len(condition.args) < predicate.arity:
                yield rule, f"predicate {condition.check!r} needs {predicate.arity} operands"
            if condition.otherwise not in all_codes():
                yield rule, f"there is no code {condition.otherwise!r}"
        for miss in rule.near_misses:
            if miss.otherwise and miss.otherwise not in all_codes():
                yield rule, f"there is no code {miss.otherwise!r}"


def _operands(rule: Rule) -> int:
    """How many operands a spelling has."""
    if rule.kind is RuleKind.IDIOM:
        return len(rule.produces.args)
    counts = [len(c.params) for c in rule.calls] + [n for h in rule.hosts for n in h.argc]
    return min(counts, default=0)


def _bound_names(rules: Iterable[Rule]) -> Findings:
    for rule in rules:
        metavariables = {name for name, _ in rule.variables}
        used = set(_METAVARIABLE.findall(rule.fragment))
        for name in sorted(used ^ metavariables):
            yield rule, f"metavariable ${name} is not in both 'cuda' and 'where'"
        for args in (rule.produces.args, *(c.args for c in rule.conditions)):
            for name in _METAVARIABLE.findall(" ".join(args)):
                if name not in metavariables and rule.kind is RuleKind.IDIOM:
                    yield rule, f"${name} is not bound"
        limit = _operands(rule)
        for entry in rule.emits:
            yield from ((rule, text) for text in _bound_in_entry(rule, entry, limit))


def _bound_in_entry(rule: Rule, entry: Emission, limit: int) -> Iterator[str]:
    scratch = {s.name for s in entry.scratch}
    used: set[str] = set()
    for form, template in entry.forms:
        allowed = set(scratch)
        if form in _VECTOR_FORMS:
            allowed |= {"dst", "count"}
        for name in holes(template):
            used.add(name)
            if name.isdigit():
                if int(name) >= limit:
                    yield f"${name} in {form.value!r} of {entry.target!r} is not bound"
            elif name not in allowed:
                yield f"${name} in {form.value!r} of {entry.target!r} is not bound"
    for name in sorted(scratch - used):
        yield f"scratch {name!r} of {entry.target!r} is not used"
    words = set(re.findall(r"\w+", " ".join(t for _, t in entry.forms)))
    helpers = {p.name: p for t, p in rule.preludes if t == entry.target}
    for name in entry.prelude:
        # A template may name what a helper declares inside of itself, such as an enumerator.
        if name in helpers and words.isdisjoint(re.findall(r"\w+", helpers[name].text)):
            yield f"helper {name!r} of {entry.target!r} is not used"


def _forms_fit_kind(rules: Iterable[Rule]) -> Findings:
    allowed = {
        RuleKind.HOST: {Form.CALL},
        RuleKind.HOST_NAME: {Form.NAME},
    }
    device = {Form.EXPR, Form.EXPR_CONST, Form.STMT}
    for rule in rules:
        for entry in rule.emits:
            if entry.support is Support.NONE:
                continue
            fits = allowed.get(rule.kind) or (
                {*_VECTOR_FORMS, Form.SCALAR, Form.STMT}
                if entry.target == Target.ASCEND_910B.value
                else device
            )
            for form, _ in entry.forms:
                if form not in fits:
                    yield rule, f"form {form.value!r} does not fit {entry.target!r} here"


def _late_reads(rules: Iterable[Rule]) -> Findings:
    """Vector statements may not read an operand after $dst was written: they can be one tile."""
    for rule in rules:
        for entry in rule.emits:
            for form, template in entry.forms:
                if form not in _VECTOR_FORMS:
                    continue
                written = False
                for statement in template.splitlines():
                    if written and any(h.isdigit() for h in holes(statement)):
                        yield rule, f"{form.value!r} reads an operand after it has written $dst"
                        break
                    written = written or "($dst" in statement


def _well_formed(rules: Iterable[Rule]) -> Findings:
    for rule in rules:
        for entry in rule.emits:
            for form, template in entry.forms:
                plain = re.sub(r"\$(\w+)", r"v_\1", template)
                if entry.target == Target.TILELANG.value and rule.kind in DEVICE_KINDS:
                    try:
                        ast.parse(plain, mode="exec" if form is Form.STMT else "eval")
                    except SyntaxError:
                        yield rule, f"{form.value!r} of {entry.target!r} is not Python"
                elif not _balanced(plain):
                    yield rule, f"{form.value!r} of {entry.target!r} has unbalanced brackets"


def _balanced(text: str) -> bool:
    closing = {")": "(", "]": "[", "}": "{"}
    stack: list[str] = []
    for c in text:
        if c in closing.values():
            stack.append(c)
        elif c in closing and (not stack or stack.pop() != closing[c]):
            return False
    return not stack


def _performance(rules: Iterable[Rule]) -> Findings:
    for rule in rules:
        if _NUMBERS.search(rule.performance) and not _MEASURED.search(rule.performance):
            yield rule, "'performance' gives a number that nobody measured"


def _shadowed(rules: Sequence[Rule]) -> Findings:
    """A rule all of whose overloads an earlier one takes, and an overload that stands twice."""
    taken: dict[tuple[str, tuple[str, ...]], Rule] = {}
    for rule in sorted(rules, key=lambda r: PRIORITY_ORDER.index(r.priority)):
        mine: set[tuple[str, tuple[str, ...]]] = set()
        for call in rule.calls:
            for key in _keys(call):
                if key in mine:
                    yield rule, f"overload {call} stands twice"
                mine.add(key)
        for key in sorted(mine):
            other = taken.get(key)
            if other is not None and _clash(other, rule):
                yield rule, f"overload {key[0]}({', '.join(key[1])}) belongs to {other.id!r}"
            taken.setdefault(key, rule)
    hosts: dict[tuple[str, int], Rule] = {}
    for rule in rules:
        named = [(n, -1) for n in rule.names]
        for key_host in named + [(h.name, n) for h in rule.hosts for n in h.argc or (-2,)]:
            before = hosts.setdefault(key_host, rule)
            if before is not rule and _clash(before, rule):
                yield rule, f"{key_host[0]} belongs to {before.id!r}"


def _keys(call: Signature) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ((call.name, call.params),)


def _clash(first: Rule, second: Rule) -> bool:
    """Two rules clash unless one is the user's and says which wins."""
    if first.priority is not second.priority:
        return False
    return first.priority is Priority.DEFAULT or first.file.user == second.file.user


CHECKS: tuple[Callable[[Sequence[Rule]], Findings], ...] = (
    _duplicate_ids,
    _targets,
    _unreachable_entries,
    _evidence,
    _match_fits_kind,
    _known_names,
    _bound_names,
    _forms_fit_kind,
    _late_reads,
    _well_formed,
    _performance,
    _shadowed,
)
"""All checks, in the order of their findings for one rule."""
