"""``__match_any_sync`` as a loop of shuffles, for targets without it.

::

    collective match_any(mask, key) -> same : u32

    var key_1: i32 = key
    var found: u32 = 0
    for (var lane: i32 = 0; lane < 32; lane = lane + 1) {
      collective shfl(mask, key_1, lane, 32) -> other : i32
      if (other == key_1) { found = found | (1 << lane) }
    }
    var same: u32 = found & mask

Legal because every lane that the mask names is at the call: a shuffle under the same mask gives
each of them the value of every other one. What a shuffle gives for a lane outside the mask is
undefined; its bit is cut. CUDA compares bits, so floats are left as they are (two zeros are equal
and differ in a bit); the loop is uniform, for it counts to 32.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from migrate.ir.expr import Binary, BinaryOp, Cast, Const, Expr, Read, VarPlace
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.simt import Assign, Collective, Declare, For, If, Stmt
from migrate.ir.types import I32, U32, Scalar, Type
from migrate.ir.walk import Rewriter
from migrate.lifting.naming import Names, names_of

_LANES = 32
Body = TypeVar("Body", Kernel, Function)


def expand_matches(kernel: Kernel, module: Module) -> tuple[Kernel, Module]:
    """The kernel and its module without ``match_any`` of integers."""
    functions = tuple(_expanded(f, module) for f in module.functions)
    same = all(a is b for a, b in zip(functions, module.functions, strict=True))
    return _expanded(kernel, module), module if same else replace(module, functions=functions)


def _expanded(item: Body, module: Module) -> Body:
    names = names_of(item, module)

    def rule(s: Stmt) -> tuple[Stmt, ...] | None:
        if not isinstance(s, Collective) or s.op != "match_any":
            return None
        key = s.args[1].type
        if not isinstance(key, Scalar) or key.is_float:
            return None
        return _loop(s, key, names)

    body = Rewriter(stmt=rule).body(item.body)
    return item if body is item.body else replace(item, body=body)


def _loop(s: Collective, type_: Scalar, names: Names) -> tuple[Stmt, ...]:
    mask, value = s.args[0], s.args[1]
    key, lane, other = (names.fresh(n) for n in ("key", "lane", "other"))

    def read(name: str, t: Type) -> Expr:
        return Read(VarPlace(name, t))

    bit = Binary(BinaryOp.SHL, Const(1, U32), read(lane, I32))
    found = VarPlace(s.result, U32)
    add = Assign(found, Binary(BinaryOp.OR, Read(found), bit))
    equal = Binary(BinaryOp.EQ, read(other, type_), read(key, type_))
    step = Binary(BinaryOp.ADD, read(lane, I32), Const(1, I32))
    exchange = Collective(
        "shfl", (mask, read(key, type_), read(lane, I32), Const(_LANES, I32)), other, type_
    )
    loop = For(
        (Declare(lane, I32, Const(0, I32)),),
        Binary(BinaryOp.LT, read(lane, I32), Const(_LANES, I32)),
        (Assign(VarPlace(lane, I32), step),),
        (exchange, If(equal, (add,), ())),
    )
    cut = mask if mask.type == U32 else Cast(mask, U32)
    return (
        Declare(key, type_, value),
        Declare(s.result, U32, Const(0, U32)),
        loop,
        Assign(found, Binary(BinaryOp.AND, Read(found), cut)),
    )
