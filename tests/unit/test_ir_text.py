"""IR text prints and parses back to the same IR."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expr,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module, Param
from migrate.ir.parser import IrSyntaxError, parse_kernel, parse_module
from migrate.ir.printer import print_kernel, print_module
from migrate.ir.simt import Assign, Break, Declare, For, If, Return, Stmt, While
from migrate.ir.types import BOOL, F32, F64, I8, I32, I64, U32, U64, Scalar
from migrate.ir.verify import faults_of

EVERY_FORM = """module "a.cu"

struct P size 8 align 4 {
  a: f32 @ 0
  n: i32 @ 4
}

constant var coef: array<f32, 4> init "00"

function pure sq "sq" (x: f32) -> f32 mangled "" template "T" "float" {
  return (x * x)
}

function bump "bump" (p: ptr<local, f32>) -> i32 mangled "_Z4bump" {
  p[0:i32] = (p[0:i32] + 1.0:f32)
  return 3:i32
}

kernel saxpy "saxpy" (n: i32, a: f32, x: ptr<global const restrict, f32>, y: ptr<global, f32>, p: P) mangled "_Z" qualified "ns::saxpy" template "N" "4" bounds 256 {
  var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))
  var buf: array<f32, 4>
  shared var tile: array<f32, 0>
  if (i < n) {
    y[i] = ((a * x[i]) + y[i])
    buf.[(i % 4:i32)] = -0.5:f32
    p.a = invoke<f32> sq(coef.[0:i32])
  }
  else {
    return
  }
  exec r: i32 = bump(addr<ptr<local, f32>>(buf.[0:i32]))
  exec _: i32 = bump(addr<ptr<local, f32>>(p.a))
  for unroll 0 {
    init {
      var j: i32 = 0:i32
    }
    while (j < n)
    step {
      j = (j + 1:i32)
    }
    body {
      atomic old = add device y[j](1.0:f32)
      atomic _ = cas block y[j](1.0:f32, 2.0:f32)
      padd(y, j)[0:i32] = (true ? inf:f32 : old)
      var q: ptr<global, ptr<global, f32>> = null<ptr<global, ptr<global, f32>>>
      if (j == 2:i32) {
        break
      }
    }
  }
  while !FLAG {
    continue
  }
  do {
    i = (i - 1:i32)
  } while (i > 0:i32)
  switch (i & 3:i32) {
    case 0, -1 {
      i = 2:i32
    }
    default {
      break
    }
  }
  var v: float4 = make<float4>(a, a, a, a)
  v.x = (v.y + get<f32>(v, z))
  var u: u32 = bits<u32>(a)
  var d: i64 = pdiff(addr<ptr<global, f32>>(y[3:i32]), y)
  collective s: f32 = shfl_down(4294967295:u32, a, 16:u32, 32:i32)
  barrier block
  barrier warp 255:u32
  fence device
  effect printf("a\\n", (- i), call<f32> expf(a))
  asm "mov.u32 %0, %%laneid;" ["=r"] out(u) in()
  return
}
""".replace("!FLAG", "(! (i != i))")


def test_every_form_round_trips() -> None:
    module = parse_module(EVERY_FORM)
    assert print_module(module) == EVERY_FORM
    assert parse_module(print_module(module)) == module
    assert faults_of(module.kernels[0], module) == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kernel k", "expected"),
        ('kernel k "k" () mangled "" qualified "" bounds 0 { x = 1:i32 }', "not declared"),
        ('kernel k "k" () mangled "" qualified "" bounds 0 { var x: i32 = 1 }', "':'"),
        ('kernel k "k" () mangled "" qualified "" bounds 0 { ; }', "unexpected"),
    ],
)
def test_bad_text_is_refused(text: str, why: str) -> None:
    with pytest.raises(IrSyntaxError, match=why):
        parse_kernel(text)


def _consts(kind: Scalar) -> st.SearchStrategy[Expr]:
    if kind == BOOL:
        return st.booleans().map(lambda v: Const(v, BOOL))
    if kind.is_float:
        return st.floats(width=32, allow_nan=False).map(lambda v: Const(v, kind))
    low = -(1 << (kind.bits - 1)) if kind.is_signed else 0
    high = (1 << (kind.bits - (1 if kind.is_signed else 0))) - 1
    return st.integers(low, high).map(lambda v: Const(v, kind))


ARITHMETIC = (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV)
KINDS = (I8, I32, U32, I64, U64, F32, F64)


def exprs(kind: Scalar, depth: int) -> st.SearchStrategy[Expr]:
    """Well-typed expressions over one variable a kind (``v_<kind>``)."""
    leaf = st.one_of(_consts(kind), st.just(Read(VarPlace(f"v_{kind}", kind))))
    if depth == 0:
        return leaf
    below = exprs(kind, depth - 1)
    if kind == BOOL:
        return st.one_of(
            leaf,
            st.builds(Unary, st.just(UnaryOp.NOT), below),
            *(
                st.builds(Binary, st.sampled_from((BinaryOp.LT, BinaryOp.EQ)), e, e)
                for e in (exprs(I32, depth - 1), exprs(F32, depth - 1))
            ),
        )
    others = st.sampled_from(KINDS).flatmap(lambda k: exprs(k, depth - 1))
    return st.one_of(
        leaf,
        st.builds(Binary, st.sampled_from(ARITHMETIC), below, below),
        st.builds(Unary, st.just(UnaryOp.NEG), below),
        st.builds(Select, exprs(BOOL, depth - 1), below, below),
        others.map(lambda e: Cast(e, kind)),
    )


def stmts(depth: int) -> st.SearchStrategy[Stmt]:
    assign = st.sampled_from(KINDS).flatmap(
        lambda k: exprs(k, 2).map(lambda e: Assign(VarPlace(f"v_{k}", k), e))
    )
    if depth == 0:
        return assign
    body = st.lists(stmts(depth - 1), max_size=3).map(tuple)
    cond = exprs(BOOL, 1)
    return st.one_of(
        assign,
        st.builds(If, cond, body, body),
        st.builds(While, cond, body.map(lambda b: (*b, Break()))),
        st.builds(For, st.just(()), cond, body, body),
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(stmts(2), max_size=4))
def test_random_programs_round_trip(body: list[Stmt]) -> None:
    params = tuple(Param(f"v_{k}", k) for k in (*KINDS, BOOL))
    local = Declare("z", I32, Const(0, I32))
    kernel = Kernel("k", "k", params, (local, *body, Return()))
    assert faults_of(kernel, Module("m", kernels=(kernel,))) == ()
    assert parse_kernel(print_kernel(kernel)) == kernel
