"""Which values may be replaced by others, and which must stay what they are."""

from __future__ import annotations

import pytest

from migrate.analysis.value_uses import Use, value_uses
from migrate.ir.kernel import Kernel
from migrate.ir.parser import parse_kernel

PARAMS = "n: i32, w: i32, x: ptr<global, f32>, y: ptr<global, f32>, at: ptr<global, i32>"
I = "var i: i32 = cast<i32>(threadIdx.x)\n"  # noqa: E741


def kernel(body: str) -> Kernel:
    return parse_kernel(
        f'kernel k "k" ({PARAMS}) mangled "" qualified "" bounds 0 {{\n{I}{body}\n}}'
    )


@pytest.mark.parametrize(
    ("body", "name", "use"),
    [
        ("y[i] = (x[i] * 2.0:f32)", "x", Use.DATA),
        ("y[i] = 1.0:f32", "at", Use.DATA),  # not used at all
        ("if (x[i] > 1.0:f32) { y[i] = x[i] }", "x", Use.BRANCH),
        ("y[at[i]] = x[i]", "at", Use.INDEX),
        ("y[at[i]] = x[i]", "x", Use.DATA),
        ("y[i] = x[(at[i] + 1:i32)]", "at", Use.INDEX),
        ("var j: i32 = at[i]\nvar k: i32 = (j * 2:i32)\ny[k] = 1.0:f32", "at", Use.INDEX),
        ("var j: i32 = (n << at[i])\ny[i] = 1.0:f32", "at", Use.INDEX),  # a shift
        ("var j: i32 = (n / at[i])\ny[i] = 1.0:f32", "at", Use.INDEX),  # a divisor
        ("y[i] = (1.0:f32 / x[i])", "x", Use.DATA),  # a float may be any float
        ("var j: i32 = at[i]\nwhile (j < n) { j = (j + 1:i32) }", "at", Use.LOOP),
        ("at[i] = cast<i32>(x[i])\ny[at[i]] = 1.0:f32", "x", Use.INDEX),  # through a buffer
        ("var p: ptr<global, f32> = padd(y, at[i])\np[0:i32] = 1.0:f32", "at", Use.INDEX),
        ("atomic old = add device at[0:i32](1:i32)\ny[old] = x[i]", "at", Use.INDEX),
    ],
)
def test_strictest_use(body: str, name: str, use: Use) -> None:
    assert value_uses(kernel(body)).of(name) is use


@pytest.mark.parametrize(
    ("body", "sizes"),
    [
        ("if (i < n) { y[i] = x[i] }", ("n",)),
        ("if ((i < n) && (w > i)) { y[i] = x[i] }", ("n", "w")),
        ("if (i == n) { y[i] = x[i] }", ()),  # says nothing about a bound
        ("y[i] = (x[i] * cast<f32>(n))", ()),
        ("var k: i32 = 0:i32\nwhile (k < w) { k = (k + 1:i32) }", ("w",)),
    ],
)
def test_sizes(body: str, sizes: tuple[str, ...]) -> None:
    assert value_uses(kernel(body)).sizes == sizes
