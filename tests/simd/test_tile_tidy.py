"""Scalars that nothing reads leave a tile program, together with what is assigned to them."""

from __future__ import annotations

from migrate.ir.expr import Binary, BinaryOp, Const, Expr, Read, VarPlace
from migrate.ir.simt import Assign, Declare
from migrate.ir.tile import LaneLoop, TileFor, TileStmt, Uniform
from migrate.ir.types import BOOL, I32
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
