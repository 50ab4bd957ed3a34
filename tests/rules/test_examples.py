"""Every example of every rule: it matches, its IR is as stated, and each target spells it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reading import parser_in

from migrate.core.codes import all_codes
from migrate.core.targets import Target
from migrate.ir.expr import Call
from migrate.ir.printer import print_stmts
from migrate.ir.simt import Atomic, Stmt
from migrate.ir.types import SCALARS, VECTORS, Pointer, Type
from migrate.ir.walk import all_exprs, walk_stmts
from migrate.rules.catalogue import load_catalogue
from migrate.rules.fragments import (
    Fragment,
    example_fragments,
    near_miss_fragments,
    parse_fragments,
    value_of,
)
from migrate.rules.match import compile_patterns, find
from migrate.rules.model import Example, Form, NearMiss, Rule, RuleKind, Support
from migrate.rules.operations import OPERATIONS
from migrate.rules.template import holes

CATALOGUE = load_catalogue()
DEVICE = tuple(
    r
    for r in CATALOGUE.rules
    if r.kind in (RuleKind.INTRINSIC, RuleKind.ATOMIC, RuleKind.IDIOM, RuleKind.REFUSAL)
)
HOST = tuple(r for r in CATALOGUE.rules if r not in DEVICE)
EXAMPLES = [(r, i) for r in DEVICE for i in range(len(r.examples))]
MISSES = [(r, m) for r in DEVICE for m in r.near_misses]
Bodies = dict[str, tuple[Stmt, ...]]


def _id(value: object) -> str:
    match value:
        case Rule(id=ident):
            return ident
        case NearMiss(name=name):
            return re.sub(r"\W+", "-", name)
        case _:
            return str(value)


@pytest.fixture(scope="module")
def bodies(tmp_path_factory: pytest.TempPathFactory) -> Bodies:
    """One parse of all fragments."""
    fragments: list[Fragment] = []
    for rule in DEVICE:
        fragments += example_fragments(rule)
        fragments += near_miss_fragments(rule)
    return parse_fragments(fragments, parser_in(tmp_path_factory.mktemp("fragments")))


def test_the_catalogue_is_clean() -> None:
    assert [d.one_line() for d in CATALOGUE.lint()] == []
    assert len(DEVICE) >= 400


@pytest.mark.parametrize(("rule", "index"), EXAMPLES, ids=_id)
def test_example_has_its_ir(rule: Rule, index: int, bodies: Bodies) -> None:
    example = rule.examples[index]
    text = "; ".join(line.strip() for line in print_stmts(bodies[f"{rule.id}#{index}"]))
    assert example.ir, "an example of a device rule states its IR"
    assert example.ir in text


@pytest.mark.parametrize(("rule", "index"), EXAMPLES, ids=_id)
def test_example_matches(rule: Rule, index: int, bodies: Bodies) -> None:
    """*missing* when the rule should have matched its own example."""
    body = bodies[f"{rule.id}#{index}"]
    if rule.kind is RuleKind.IDIOM:
        return  # test_match.py
    calls = [e for e in all_exprs(body) if isinstance(e, Call)]
    for call in calls:
        found = CATALOGUE.intrinsic(call.name, tuple(a.type for a in call.args))
        assert found is not None, f"missing: no rule takes {call.name}"
    atomics = [s for s in walk_stmts(body) if isinstance(s, Atomic)]
    if rule.kind is RuleKind.ATOMIC:
        assert [CATALOGUE.atomic(a.op) for a in atomics] == [rule]
    named = re.match(r"(\w+)\(", rule.examples[index].cuda)
    if named is not None and not atomics and all(t in _CXX for _, t in rule.examples[index].types):
        types = tuple(_CXX[t] for _, t in rule.examples[index].types)
        assert CATALOGUE.intrinsic(named[1], types) is rule


_CXX: dict[str, Type] = {
    "float": SCALARS["f32"], "double": SCALARS["f64"], "int": SCALARS["i32"],
    "unsigned int": SCALARS["u32"], "long long": SCALARS["i64"], "short": SCALARS["i16"],
    "unsigned long long": SCALARS["u64"], "unsigned short": SCALARS["u16"], "__half": SCALARS["f16"],
    "__nv_bfloat16": SCALARS["bf16"], "__half2": VECTORS["half2"], "float2": VECTORS["float2"],
}  # fmt: skip


def _type(text: str) -> Type:
    if text.startswith("ptr<"):
        return Pointer(_type(text[4:-1]))
    return SCALARS["f32"] if text == "T" else VECTORS.get(text) or SCALARS[text]


@pytest.mark.parametrize(("rule", "miss"), MISSES, ids=_id)
def test_near_miss_does_not_match(rule: Rule, miss: NearMiss, bodies: Bodies) -> None:
    """*noisy* when the rule takes what it should leave."""
    if miss.call is not None:
        types = tuple(_type(p) for p in miss.call.params)
        found = CATALOGUE.intrinsic(miss.call.name, types)
        assert found is not rule, f"noisy: {miss.call}"
        return
    index = rule.near_misses.index(miss)
    assert f"{rule.id}!{index}" in bodies
    if rule.kind is not RuleKind.IDIOM:
        calls = [e for e in all_exprs(bodies[f"{rule.id}!{index}"]) if isinstance(e, Call)]
        assert all(
            CATALOGUE.intrinsic(c.name, tuple(a.type for a in c.args)) is not rule for c in calls
        )


@pytest.mark.parametrize("target", list(Target), ids=lambda t: t.value)
@pytest.mark.parametrize("rule", DEVICE, ids=_id)
def test_every_target_speaks(rule: Rule, target: Target) -> None:
    """Each entry spells the meaning with all its operands, or says why not."""
    entries = [e for e in rule.emits if e.target == target.value]
    assert entries
    for entry in entries:
        if entry.support is Support.NONE:
            assert entry.code in all_codes()
            continue
        wanted = set()
        for form, template in entry.forms:
            spelled = rule.spelling(target.value, form, [_type(t) for t in entry.types[:1]])
            if entry.types and spelled is not None and not rule.calls:
                assert spelled.template == template
            numbers = {h for h in holes(template) if h.isdigit()}
            wanted |= numbers
        if (
            rule.calls
            and rule.produces.op not in ("bits", "load")
            and rule.kind is RuleKind.INTRINSIC
        ):
            most = min(len(c.params) for c in rule.calls)
            assert wanted == {str(i) for i in range(most)}, "an operand is lost"


def test_idioms(bodies: Bodies, tmp_path: Path) -> None:
    patterns, unreadable = compile_patterns(CATALOGUE.rules, parser_in(tmp_path))
    assert unreadable == ()
    assert {p.rule.id for p in patterns} == {r.id for r in DEVICE if r.kind is RuleKind.IDIOM}
    for pattern in patterns:
        for i, example in enumerate(pattern.rule.examples):
            value = value_of(bodies[f"{pattern.rule.id}#{i}"])
            assert value is not None
            found = find(pattern, value)
            assert found is not None, f"missing: {example.name}"
            assert found.failed is None, f"missing: {example.name} fails {found.failed}"
            known = OPERATIONS[pattern.rule.produces.op]
            assert len(found.operands) >= known.least
        for i, miss in enumerate(pattern.rule.near_misses):
            value = value_of(bodies[f"{pattern.rule.id}!{i}"])
            assert value is not None
            found = find(pattern, value)
            if miss.otherwise:
                assert found is not None and found.failed is not None, miss.name
                assert found.failed.otherwise == miss.otherwise
            else:
                assert found is None, f"noisy: {miss.name}"


@pytest.mark.parametrize("rule", HOST, ids=_id)
def test_host_rules(rule: Rule) -> None:
    for example in rule.examples:
        _check_host_example(rule, example)
    for miss in rule.near_misses:
        name, count = _call(miss.cuda)
        found = CATALOGUE.host(name, count)
        assert found is not rule, f"noisy: {miss.cuda}"
    for target in (Target.ASCEND_910B, Target.ASCEND_950):
        entry = rule.emission(target.value)
        assert entry is not None
        if entry.support is not Support.NONE:
            form = Form.CALL if rule.kind is RuleKind.HOST else Form.NAME
            assert rule.spelling(target.value, form) is not None


def _check_host_example(rule: Rule, example: Example) -> None:
    name, count = _call(example.cuda)
    if rule.kind is RuleKind.HOST:
        assert CATALOGUE.host(name, count) is rule, f"missing: {example.cuda}"
    else:
        words = set(re.findall(r"[\w./]+", example.cuda))
        assert words & set(rule.names), f"missing: {example.cuda}"
        for word in words & set(rule.names):
            assert CATALOGUE.host(word) is rule


def _call(text: str) -> tuple[str, int | None]:
    hit = re.match(r"\s*([\w.:/<>]+?)(?:<[^()]*>)?\((.*)\)\s*;?\s*$", text, re.DOTALL)
    if hit is None:
        return text.strip(), None
    depth, count, inside = 0, 0, hit[2].strip()
    for c in inside:
        depth += (c in "([{") - (c in ")]}")
        count += c == "," and depth == 0
    return hit[1], count + 1 if inside else 0
