"""Look-up, filling of templates, and what back ends ask."""

from __future__ import annotations

import pytest

from migrate.core.targets import Target
from migrate.ir.expr import Binary, BinaryOp, Call, Const, Read, VarPlace
from migrate.ir.simt import Assign, AtomicOp
from migrate.ir.types import F16, F32, F64, I32, I64, U32, Pointer, Scalar, Space
from migrate.rules.catalogue import load_catalogue
from migrate.rules.match import Pattern, find, match_expr, recognise, spell_call
from migrate.rules.model import Form, Signature, Spelling, Support

CATALOGUE = load_catalogue()


def var(name: str, kind: Scalar = F32) -> Read:
    return Read(VarPlace(name, kind))


@pytest.mark.parametrize(
    ("name", "types", "ident"),
    [
        ("expf", (F32,), "intrinsics.expf"),
        ("exp", (F64,), "intrinsics.exp"),
        ("std::exp", (F32,), "intrinsics.expf"),
        ("::max", (I32, I32), "intrinsics.max_int"),
        ("max", (F32, F32), "intrinsics.fmaxf"),
        ("abs", (I64,), "intrinsics.abs_int"),
        ("__hadd", (F16, F16), "intrinsics.__hadd"),
        ("__hadd", (I32, I32), "intrinsics.__hadd_int"),
        ("__ldg", (Pointer(F32, Space.GLOBAL),), "intrinsics.__ldg"),
        ("__fadd_rz", (F32, F32), "refusals.directed_rounding"),
    ],
)
def test_overloads(name: str, types: tuple[Scalar, ...], ident: str) -> None:
    rule = CATALOGUE.intrinsic(name, types)
    assert rule is not None
    assert rule.id == ident


@pytest.mark.parametrize(
    ("name", "types"),
    [("expf", (F64,)), ("expf", (F32, F32)), ("nothing_like_it", (F32,)), ("max", (I32, U32))],
)
def test_no_rule(name: str, types: tuple[Scalar, ...]) -> None:
    assert CATALOGUE.intrinsic(name, types) is None


def test_pointee_types_must_agree() -> None:
    store = Signature("void", "__stcs", ("ptr<T>", "T"))
    assert store.accepts((Pointer(F32), F32))
    assert not store.accepts((Pointer(F32), I32))
    assert not store.accepts((F32, F32))


@pytest.mark.parametrize(
    ("template", "args", "text"),
    [
        ("expf($0)", ["x + 1"], "expf(x + 1)"),
        ("$0 + $1", ["x", "y * z"], "x + (y * z)"),
        ("-$0", ["a - b"], "-(a - b)"),
        ("-$0", ["f(a, b)"], "-f(a, b)"),
        ("-$0", ["f(a) - f(b)"], "-(f(a) - f(b))"),
        ("$0 / $1", ["x[i]", "s.y"], "x[i] / s.y"),
        ("static_cast<float>($0)", ["a, b"], "static_cast<float>(a, b)"),
        ("(float)$0", ["a + b"], "(float)(a + b)"),
        ("$0 < 0 ? -$0 : $0", ["i - 1"], "(i - 1) < 0 ? -(i - 1) : (i - 1)"),
        ("$0", ["a + b"], "a + b"),
    ],
)
def test_operands_keep_their_value(template: str, args: list[str], text: str) -> None:
    spelling = Spelling("r", "ascend950", Form.EXPR, Support.NATIVE, template)
    assert spelling.fill(args) == text


def test_named_places() -> None:
    rule = CATALOGUE.intrinsic("expf", (F32,))
    assert rule is not None
    spelling = rule.spelling("ascend910b", Form.VECTOR, (F32,))
    assert spelling is not None
    filled = spelling.fill(["xTile"], {"dst": "yTile", "count": "tileLength"})
    assert filled == "AscendC::Exp(yTile, xTile, tileLength);"
    with pytest.raises(KeyError):
        spelling.fill(["xTile"])


def test_helpers_come_after_what_they_need() -> None:
    rule = CATALOGUE.intrinsic("powf", (F32, F32))
    assert rule is not None
    spelling = rule.spelling("ascend910b", "scalar", (F32, F32))
    assert spelling is not None
    names = [p.name for p in spelling.prelude]
    assert names[-1] == "scalar_powf"
    for i, item in enumerate(spelling.prelude):
        assert set(item.needs) <= set(names[:i])
    vector = rule.spelling("ascend910b", "vector", (F32, F32))
    assert vector is not None
    assert vector.prelude == ()


def test_how_often_an_operand_is_written() -> None:
    rule = CATALOGUE.intrinsic("max", (I32, I32))
    assert rule is not None
    spelling = rule.spelling("ascend910b", "scalar", (I32, I32))
    assert spelling is not None
    assert (spelling.uses(0), spelling.uses(1), spelling.uses(2)) == (2, 2, 0)
    assert not spelling.atomic


def test_entries_differ_by_type() -> None:
    rule = CATALOGUE.intrinsic("max", (I32, I32))
    assert rule is not None
    assert rule.spelling("ascend910b", "vector", (I32, I32)) is not None
    assert rule.spelling("ascend910b", "vector", (U32, U32)) is None
    assert rule.spelling("ascend910b", "scalar", (U32, U32)) is not None


def test_one_form_is_exact_where_another_is_not() -> None:
    rule = CATALOGUE.intrinsic("fmaxf", (F32, F32))
    assert rule is not None
    vector, scalar = (rule.spelling("ascend910b", f, (F32, F32)) for f in ("vector", "scalar"))
    assert vector is not None and not vector.exact and "NaN" in vector.limits
    assert scalar is not None and scalar.exact and scalar.limits == ""


def test_the_short_form_needs_a_number() -> None:
    relu = Call("fmaxf", (var("x"), Const(0.0, F32)), F32)
    both = Call("fmaxf", (var("x"), var("y")), F32)
    nan = Call("fmaxf", (var("x"), Const(float("nan"), F32)), F32)
    texts = [spell_call(CATALOGUE, Target.TILELANG.value, c, Form.EXPR) for c in (relu, both, nan)]
    assert [t.template if t else None for t in texts] == [
        "T.max($0, $1)",
        'T.call_pure_extern("float32", "fmaxf", $0, $1)',
        'T.call_pure_extern("float32", "fmaxf", $0, $1)',
    ]


def test_atomics_by_operation() -> None:
    add = CATALOGUE.atomic(AtomicOp.ADD)
    assert add is not None
    pointer = Pointer(F32, Space.GLOBAL)
    returned = add.spelling("tilelang", Form.EXPR, (pointer, F32))
    plain = add.spelling("tilelang", Form.STMT, (pointer, F32))
    assert returned is not None and "return_prev" in returned.template
    assert plain is not None and plain.template == "T.atomic_add($0, $1)"
    cas = CATALOGUE.atomic(AtomicOp.CAS)
    assert cas is not None
    entry = cas.emission("ascend910b", (Pointer(I32), I32, I32))
    assert entry is not None and entry.code == "CM4004"


def test_all_atomics_have_a_rule() -> None:
    assert all(CATALOGUE.atomic(op) is not None for op in AtomicOp)


def test_order_is_fixed() -> None:
    assert load_catalogue().rules == CATALOGUE.rules
    assert [r.id for r in CATALOGUE.rules] == sorted(r.id for r in CATALOGUE.rules)


# --- the matcher ------------------------------------------------------------------------------


def pattern(root: Binary | Call, *holes: str) -> Pattern:
    rule = CATALOGUE.rule("idioms.sigmoid")
    assert rule is not None
    return Pattern(rule, root, frozenset(holes))


def add(a: Read | Const | Binary | Call, b: Read | Const | Binary | Call) -> Binary:
    return Binary(BinaryOp.ADD, a, b)


def test_a_hole_stands_for_one_expression() -> None:
    shape = Binary(BinaryOp.SUB, var("X"), var("X"))
    same = Binary(BinaryOp.SUB, add(var("a"), var("b")), add(var("a"), var("b")))
    other = Binary(BinaryOp.SUB, add(var("a"), var("b")), add(var("b"), var("a")))
    assert match_expr(shape, same, frozenset({"X"})) is not None
    assert match_expr(shape, other, frozenset({"X"})) is None


def test_sums_match_both_ways_and_differences_do_not() -> None:
    one = Const(1.0, F32)
    holes = frozenset({"X"})
    assert match_expr(add(one, var("X")), add(var("a"), one), holes) == {"X": var("a")}
    minus = Binary(BinaryOp.SUB, one, var("X"))
    assert match_expr(minus, Binary(BinaryOp.SUB, var("a"), one), holes) is None


def test_a_hole_has_a_type() -> None:
    shape = Call("expf", (var("X"),), F32)
    assert match_expr(shape, Call("expf", (var("a", F64),), F32), frozenset({"X"})) is None


def test_nothing_is_reassociated() -> None:
    shape = add(add(var("X"), var("Y")), Const(1.0, F32))
    other = add(var("a"), add(var("b"), Const(1.0, F32)))
    assert match_expr(shape, other, frozenset({"X", "Y"})) is None


def test_recognised_idiom_is_a_call_of_its_rule() -> None:
    one = Const(1.0, F32)
    shape = Binary(BinaryOp.DIV, one, add(one, Call("expf", (var("X"),), F32)))
    value = Binary(BinaryOp.DIV, one, add(Call("expf", (var("a"),), F32), one))
    (done,) = recognise((Assign(VarPlace("y", F32), value),), [pattern(shape, "X")])
    assert done == Assign(VarPlace("y", F32), Call("idioms.sigmoid", (var("a"),), F32))
    rule = CATALOGUE.intrinsic("idioms.sigmoid", (F32,))
    assert rule is not None
    assert find(pattern(shape, "X"), Const(2.0, F32)) is None
