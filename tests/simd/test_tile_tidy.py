"""Scalars that nothing reads leave a tile program, together with what is assigned to them."""

from __future__ import annotations

from migrate.ir.expr import Binary, BinaryOp, Const, Expr, Read, VarPlace
from migrate.ir.parser import parse_module
from migrate.ir.simt import Assign, Declare
from migrate.ir.tile import LaneLoop, TileFor, TileStmt, Uniform
from migrate.ir.types import BOOL, I32
from migrate.ir.walk import all_exprs, declared_names, var_names
from migrate.lifting.tile_normal import normal_form
from migrate.lifting.tile_tidy import without_dead


def declare(name: str) -> TileStmt:
    return Uniform(Declare(name, I32, Const(0, I32)))


def assign(name: str, value: Expr | None = None) -> TileStmt:
    return Uniform(Assign(VarPlace(name, I32), Const(1, I32) if value is None else value))


def read(name: str) -> Expr:
    return Read(VarPlace(name, I32))


def test_an_assignment_goes_with_its_declaration() -> None:
    assert without_dead((declare("a"), assign("a"))) == ()


def test_what_feeds_a_dead_scalar_goes_too() -> None:
    assert without_dead((declare("a"), declare("b"), assign("b", read("a")))) == ()


def test_device_variables_stay() -> None:
    body = (assign("total"),)
    assert without_dead(body) == body


def test_what_lanes_or_loop_heads_assign_keeps_its_declaration() -> None:
    lanes = (declare("a"), LaneLoop((Assign(VarPlace("a", I32), Const(1, I32)),), (), ()))
    assert without_dead(lanes) == lanes
    end = Binary(BinaryOp.LT, read("i"), Const(4, I32))
    assert end.type == BOOL
    step = (assign("i", Binary(BinaryOp.ADD, read("i"), Const(1, I32))), assign("b"))
    loop = (declare("i"), declare("b"), TileFor((), end, step, ()))
    assert without_dead(loop) == loop


def test_a_pass_that_leaves_a_variable_without_declaration_is_not_taken() -> None:
    module = parse_module(
        'module "m"\nstruct Field size 8 align 4 { n: array<i32, 2> @ 0 }\n'
        'kernel k "k" (y: ptr<global, i32>) mangled "" qualified "" bounds 0 {\n'
        "  var a: Field\n  var b: Field\n  a.n.[0:i32] = 1:i32\n  b.n = a.n\n"
        "  y[0:i32] = b.n.[0:i32]\n}\n"
    )
    made = normal_form(module.kernels[0], module)
    declared = declared_names(made.body) | {"y"}
    assert {n for e in all_exprs(made.body) for n in var_names(e)} <= declared
    assert any(isinstance(s, Assign) and isinstance(s.value, Read) for s in made.body)
