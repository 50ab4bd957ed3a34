"""Which floats surely fit an integer, and which conversions are left plain."""

from __future__ import annotations

import pytest

from migrate.analysis.float_range import float_range, saturating_call, surely_fits
from migrate.ir.expr import Cast, Expr
from migrate.ir.parser import parse_kernel
from migrate.ir.simt import Assign
from migrate.ir.types import I8, I32, I64, U32, U64, Scalar

PARAMS = "x: f32, n: i32, s: i16, b: bool, d: f64, y: ptr<global, f32>, z: ptr<global, f64>"


def value(text: str) -> Expr:
    target = "z" if "f64" in text or text == "d" else "y"
    body = f"{target}[0:i32] = {text}"
    kernel = parse_kernel(
        f'kernel k "k" ({PARAMS}) mangled "" qualified "" bounds 0 {{\n{body}\n}}'
    )
    (s,) = kernel.body
    assert isinstance(s, Assign)
    return s.value


def clamp(inner: str, low: str, high: str) -> str:
    return f"call<f32> fminf(call<f32> fmaxf({inner}, {low}:f32), {high}:f32)"


@pytest.mark.parametrize(
    ("text", "goal", "fits"),
    [
        ("x", I32, False),
        ("3.5:f32", I32, True),
        ("-1.0:f32", U32, False),
        ("-0.5:f32", U32, True),  # its whole part is 0
        ("2147483648.0:f32", I32, False),
        ("2147483648.0:f32", U32, True),
        ("cast<f32>(s)", I32, True),
        ("cast<f32>(s)", U32, False),
        ("cast<f32>(n)", I32, False),  # 2147483647 rounds up
        ("cast<f32>(n)", I64, True),
        ("cast<f32>(b)", U64, True),
        (clamp("x", "0.0", "255.0"), U32, True),
        (clamp("x", "-128.0", "127.0"), I32, True),
        (clamp("x", "-128.0", "127.0"), U32, False),
        # fminf alone has no lower bound; without a number beside it a NaN stays.
        ("call<f32> fminf(x, 255.0:f32)", I32, False),
        ("call<f32> fminf(call<f32> fmaxf(x, x), 255.0:f32)", I32, False),
        # x < 0 ? 0 : x > 255 ? 255 : x lets a NaN through.
        ("((x < 0.0:f32) ? 0.0:f32 : ((x > 255.0:f32) ? 255.0:f32 : x))", I32, False),
        (f"({clamp('x', '0.0', '1.0')} * 255.0:f32)", U32, True),
        (f"(({clamp('x', '0.0', '1.0')} * 255.0:f32) + 0.5:f32)", U32, True),
        (f"({clamp('x', '0.0', '1.0')} * 1e9:f32)", U32, False),  # not followed that far
        (f"call<f32> floorf({clamp('x', '-3.5', '3.5')})", I32, True),
        ("call<f32> floorf(x)", I32, False),
        ("call<f32> fabsf(x)", U32, False),
        ("(x / 2.0:f32)", I32, False),
    ],
)
def test_what_surely_fits(text: str, goal: Scalar, fits: bool) -> None:
    assert surely_fits(value(text), goal) is fits


def test_bounds_go_outwards() -> None:
    found = float_range(value(f"(- call<f32> floorf({clamp('x', '-3.5', '2.5')}))"))
    assert (found.low, found.high, found.nan) == (-3.0, 4.0, False)


def test_the_function_of_a_conversion() -> None:
    def name(text: str, goal: Scalar) -> str | None:
        found = saturating_call(Cast(value(text), goal))
        return None if found is None else found.name

    assert name("x", I32) == "__float2int_rz"
    assert name("x", U64) == "__float2ull_rz"
    assert name("d", U32) == "__double2uint_rz"
    assert name("x", I8) is None
    assert name("2.0:f32", I32) is None
