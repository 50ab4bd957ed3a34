"""Operands that TileLang copies to a temporary."""

from __future__ import annotations

from before_after import body_lines, module_of, normalised

from migrate.core.diagnostics import Sink
from migrate.ir.printer import print_kernel
from migrate.lifting.bind_operands import bind_operands

P = "n: i32, x: ptr<global, i32>, f: ptr<global, f32>, b: ptr<global, bf16>"


def check(before: str, after: str) -> str:
    module = module_of(before, P)
    kernel = bind_operands(module.kernels[0], module, Sink())
    got = body_lines(kernel)
    assert got == normalised(after), "\n" + "\n".join(got)
    return print_kernel(kernel)


def test_each_use_after_a_change_has_its_own_variable() -> None:
    check(
        "x[n] = call<i32> max(x[n], 3:i32) x[n] = call<i32> max(x[n], 5:i32)",
        """var x_value: i32 = x[n]
        x[n] = call<i32> max(x_value, 3:i32)
        var x_value_2: i32 = x[n]
        x[n] = call<i32> max(x_value_2, 5:i32)""",
    )


def test_a_variable_that_changes_is_copied() -> None:
    check(
        "var t: i32 = n t = call<i32> min(t, 4:i32)",
        """var t: i32 = n
        var t_now: i32 = t
        t = call<i32> min(t_now, 4:i32)""",
    )


def test_bits_of_a_load() -> None:
    check(
        "x[n] = bits<i32>(f[n])",
        """var f_value: f32 = f[n]
        x[n] = bits<i32>(f_value)""",
    )


def test_a_load_behind_a_test_stays_behind_it() -> None:
    check(
        "if ((n > 0:i32) && (bits<i32>(f[n]) > 0:i32)) { x[0:i32] = 1:i32 }",
        """var holds: bool = (n > 0:i32)
        if holds {
        var f_value: f32 = f[n]
        holds = (bits<i32>(f_value) > 0:i32)
        }
        if holds {
        x[0:i32] = 1:i32
        }""",
    )


def test_bfloat16_buffers_hold_bits() -> None:
    text = check(
        "b[n] = (b[n] * b[0:i32])",
        """var b_value: i16 = b[n]
        var b_value_2: i16 = b[0:i32]
        b[n] = bits<i16>((bits<bf16>(b_value) * bits<bf16>(b_value_2)))""",
    )
    assert "b: ptr<global, i16>" in text


def test_plain_calls_and_fixed_values_are_left_alone() -> None:
    body = "f[n] = call<f32> expf(f[n]) x[n] = call<i32> max(n, 3:i32)"
    module = module_of(body, "n: i32, x: ptr<global, i32>, f: ptr<global, f32>")
    assert bind_operands(module.kernels[0], module, Sink()) is module.kernels[0]
