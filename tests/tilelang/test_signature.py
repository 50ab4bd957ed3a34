"""Struct parameters as arguments of a TileLang kernel."""

from __future__ import annotations

from migrate.backends.tilelang.signature import given_params
from migrate.core.diagnostics import Sink
from migrate.ir.parser import parse_module
from migrate.lifting.lift import normalise

TEXT = """module "k"
struct Step size 12 align 4 { side: i16 @ 0
 step: i32 @ 4
 on: bool @ 8 }
struct Row size 40 align 4 { first: f32 @ 0
 steps: array<Step, 3> @ 4 }
struct All size 100 align 4 { n: i32 @ 0
 rows: array<Row, 2> @ 4
 flat: array<i32, 4> @ 84 }
kernel k "k" (a: All, x: ptr<global, i32>) mangled "k" qualified "k" bounds 0 {
  x[0:i32] = ((a.rows.[1:i32].steps.[2:i32].step + a.flat.[3:i32]) + a.n)
}
"""


def test_members_of_arrays_of_structs_keep_their_places() -> None:
    module = parse_module(TEXT)
    (kernel,) = module.kernels
    body = normalise(kernel, module, Sink())
    given, buffer = given_params(kernel, body, module)
    found = {p.member: (str(p.type), p.places or p.offset) for p in given.pieces}
    assert found == {
        "n": ("i32", 0),
        "rows_first": ("array<f32, 2>", (4, 44)),
        "rows_steps_side": ("array<i16, 6>", (8, 20, 32, 48, 60, 72)),
        "rows_steps_step": ("array<i32, 6>", (12, 24, 36, 52, 64, 76)),
        "rows_steps_on": ("array<bool, 6>", (16, 28, 40, 56, 68, 80)),
        "flat": ("array<i32, 4>", 84),
    }
    assert (buffer.name, buffer.is_struct) == ("x", False)
