"""Polynomials, accesses, uniformity, launch axes."""

from __future__ import annotations

import pytest

from migrate.analysis.access import buffer_access, outputs
from migrate.analysis.affine import atom, definitions, number, polynomial
from migrate.analysis.launch_axes import AxisUse, launch_axes, with_canonical_indices
from migrate.analysis.uniformity import Uniform, uniformity
from migrate.ir.kernel import Kernel
from migrate.ir.parser import parse_kernel
from migrate.ir.simt import Assign
from migrate.ir.walk import walk_stmts

PARAMS = "n: i32, w: i32, x: ptr<global, f32>, y: ptr<global, f32>"
I = "var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))\n"  # noqa: E741


def kernel(body: str) -> Kernel:
    return parse_kernel(f'kernel k "k" ({PARAMS}) mangled "" qualified "" bounds 0 {{\n{body}\n}}')


def first_value(k: Kernel) -> str:
    known = definitions(k)
    (stored,) = [s for s in walk_stmts(k.body) if isinstance(s, Assign)]
    found = polynomial(stored.value, known)
    return " + ".join(f"{c}*{'*'.join(m)}" if m else str(c) for m, c in found.terms)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("((n * 3:i32) + n)", "4*n"),
        ("((n + w) * (n - w))", "1*n*n + -1*w*w"),
        ("((n - n) + 2:i32)", "2"),
        ("(n << 3:i32)", "8*n"),
        ("(- n)", "-1*n"),
        ("(n / 3:i32)", "1*(n / 3:i32)"),
        ("cast<i32>(cast<i64>(n))", "1*n"),
        ("cast<i32>(cast<i8>(n))", "1*cast<i32>(cast<i8>(n))"),
    ],
)
def test_polynomials(value: str, expected: str) -> None:
    assert first_value(kernel(f"var r: i32 = 0:i32 r = {value}")) == expected


def test_definitions_are_followed_unless_assigned_again() -> None:
    once = kernel("var a: i32 = (n + 1:i32) var r: i32 = 0:i32 r = (a * 2:i32)")
    assert first_value(once) == "2 + 2*n"
    walking = kernel("var a: i32 = (n + 1:i32) var r: i32 = 0:i32 r = (a * 2:i32) a = n")
    known = definitions(walking)
    assert "a" not in known


def test_polynomial_arithmetic() -> None:
    a, b = atom("a"), atom("b")
    assert ((a + b) * (a + b)).coefficient(("a", "b")) == 2
    assert (a - a) == number(0)
    assert (a + number(4)).constant == 4
    assert not (a * b).is_linear_in(frozenset({"a", "b"}))
    assert (a * b).is_linear_in(frozenset({"a"}))


def test_outputs_and_reads() -> None:
    k = kernel(f"{I} y[i] = x[i]")
    assert outputs(k) == ("y",)
    assert buffer_access(k).read == {"x"}
    assert buffer_access(k).hazards() == ()


@pytest.mark.parametrize(
    ("body", "meets"),
    [
        ("x[i] = (x[i] + 1.0:f32)", False),
        ("x[i] = x[(i + 1:i32)]", True),
        ("x[(i * 2:i32)] = x[((i * 2:i32) + 1:i32)]", False),
        ("x[(i * 2:i32)] = x[((i * 2:i32) + 2:i32)]", True),
        ("x[0:i32] = x[1:i32]", False),
        ("x[i] = x[n]", True),
        ("y[i] = x[n]", False),
        ("atomic _ = add device x[0:i32](1.0:f32) y[i] = x[i]", True),
    ],
)
def test_threads_that_meet(body: str, meets: bool) -> None:
    assert bool(buffer_access(kernel(I + body)).hazards()) is meets


@pytest.mark.parametrize(
    ("body", "use"),
    [
        (f"{I} x[i] = 1.0:f32", AxisUse.FLAT),
        ("x[blockIdx.x] = 1.0:f32", AxisUse.BLOCK),
        ("x[threadIdx.x] = 1.0:f32", AxisUse.SPLIT),
        ("x[0:i32] = 1.0:f32", AxisUse.UNUSED),
        (f"{I} x[i] = cast<f32>(threadIdx.x)", AxisUse.SPLIT),
        ("x[((blockIdx.x * blockDim.y) + threadIdx.x)] = 1.0:f32", AxisUse.SPLIT),
        (
            "var b: i32 = cast<i32>(blockIdx.x) var t: i32 = cast<i32>(threadIdx.x)\n"
            "x[(t + (cast<i32>(blockDim.x) * b))] = 1.0:f32",
            AxisUse.FLAT,
        ),
        (
            "x[((cast<u32>(n) + (blockIdx.x * blockDim.x)) + threadIdx.x)] = 1.0:f32",
            AxisUse.FLAT,
        ),
        (
            "x[(cast<i64>(threadIdx.x) + (cast<i64>(blockIdx.x) * cast<i64>(blockDim.x)))] "
            "= 1.0:f32",
            AxisUse.FLAT,
        ),
    ],
)
def test_launch_axes(body: str, use: AxisUse) -> None:
    assert launch_axes(with_canonical_indices(kernel(body))).x is use


def test_uniformity() -> None:
    k = kernel(
        f"""{I}
        var a: i32 = (n + w)
        var b: i32 = cast<i32>(blockIdx.x)
        var c: f32 = y[a]
        var d: f32 = x[a]
        var e: i32 = 0:i32
        if (i < n) {{ e = 1:i32 }}
        x[i] = c"""
    )
    found = dict(uniformity(k).variables)
    assert found["a"] is Uniform.GRID
    assert found["b"] is Uniform.BLOCK
    assert found["c"] is Uniform.GRID
    assert found["d"] is Uniform.THREAD, "another thread can have written it"
    assert found["e"] is Uniform.THREAD, "only some threads assign it"
    assert found["i"] is Uniform.THREAD
