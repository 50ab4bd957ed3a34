"""Device functions."""

from __future__ import annotations

import pytest
from before_after import apply, check, module_of, unchanged

from migrate.lifting.refusal import Refused

P = "n: i32, x: ptr<global, f32>"
SQUARE = 'function pure sq "sq" (v: f32) -> f32 mangled "" { return (v * v) }'
ONCE = 'function pure half "half" (v: f32) -> f32 mangled "" { return (v * 0.5:f32) }'
CLAMP = """function pure clampf "clampf" (v: f32) -> f32 mangled "" {
  if (v < 0.0:f32) { return 0.0:f32 }
  return v
}"""
BUMP = """function bump "bump" (p: ptr<local, i32>, by: i32) -> void mangled "" {
  p[0:i32] = (p[0:i32] + by)
}"""
LOOP = """function pure first "first" (m: i32) -> i32 mangled "" {
  for { init { var i: i32 = 0:i32 } while (i < m) step { i = (i + 1:i32) } body {
    if ((i * i) > m) { return i }
  } }
  return -1:i32
}"""


def test_an_argument_that_is_read_twice_is_evaluated_once() -> None:
    check(
        "inline",
        "x[0:i32] = invoke<f32> sq((x[1:i32] + 1.0:f32))",
        """var v: f32 = (x[1:i32] + 1.0:f32)
        x[0:i32] = (v * v)""",
        P,
        SQUARE,
    )


def test_an_argument_that_is_read_once_is_put_in_place() -> None:
    check(
        "inline",
        "x[0:i32] = invoke<f32> half((x[1:i32] + 1.0:f32))",
        "x[0:i32] = ((x[1:i32] + 1.0:f32) * 0.5:f32)",
        P,
        ONCE,
    )


def test_a_variable_stands_for_the_parameter() -> None:
    check(
        "inline",
        "var a: f32 = x[1:i32] x[0:i32] = invoke<f32> sq(a)",
        """var a: f32 = x[1:i32]
        x[0:i32] = (a * a)""",
        P,
        SQUARE,
    )


def test_names_of_the_caller_are_safe() -> None:
    check(
        "inline",
        "var v: f32 = 1.0:f32 x[0:i32] = (v + invoke<f32> sq(x[1:i32]))",
        """var v: f32 = 1.0:f32
        var v_2: f32 = x[1:i32]
        x[0:i32] = (v + (v_2 * v_2))""",
        P,
        SQUARE,
    )


@pytest.mark.parametrize(
    ("name", "result"), [("clampf", "clampf_result"), ("operator()", "operator_result")]
)
def test_several_exits_become_a_result_variable(name: str, result: str) -> None:
    check(
        "inline",
        "x[0:i32] = invoke<f32> clampf(x[1:i32])",
        f"""var v: f32 = x[1:i32]
        var {result}: f32
        if (v < 0.0:f32) {{
        {result} = 0.0:f32
        }}
        else {{
        {result} = v
        }}
        x[0:i32] = {result}""",
        P,
        CLAMP.replace('"clampf"', f'"{name}"'),
    )


def test_return_from_a_loop() -> None:
    check(
        "inline",
        "var r: i32 = invoke<i32> first(n)",
        """var first_result: i32
        var returned: bool = false
        for {
        init {
        var i: i32 = 0:i32
        }
        while (i < n)
        step {
        i = (i + 1:i32)
        }
        body {
        if ((i * i) > n) {
        first_result = i
        returned = true
        break
        }
        }
        }
        if (! returned) {
        first_result = -1:i32
        }
        var r: i32 = first_result""",
        P,
        LOOP,
    )


def test_a_reference_is_the_caller_s_variable() -> None:
    check(
        "inline",
        "var i: i32 = n exec _: void = bump(addr<ptr<local, i32>>(i), 3:i32)",
        """var i: i32 = n
        i = (i + 3:i32)""",
        P,
        BUMP,
    )


def test_a_variable_given_by_value_and_by_reference_is_copied() -> None:
    check(
        "inline",
        "var i: i32 = n exec _: void = bump(addr<ptr<local, i32>>(i), i)",
        """var i: i32 = n
        var by: i32 = i
        i = (i + by)""",
        P,
        BUMP,
    )


def test_a_call_behind_a_test_stays_behind_it() -> None:
    check(
        "inline",
        "if ((n > 0:i32) && (invoke<f32> clampf(x[n]) > 1.0:f32)) { x[0:i32] = 1.0:f32 }",
        """var holds: bool = (n > 0:i32)
        if holds {
        var v: f32 = x[n]
        var clampf_result: f32
        if (v < 0.0:f32) {
        clampf_result = 0.0:f32
        }
        else {
        clampf_result = v
        }
        holds = (clampf_result > 1.0:f32)
        }
        if holds {
        x[0:i32] = 1.0:f32
        }""",
        P,
        CLAMP,
    )


def test_a_call_in_a_loop_condition_is_made_each_time() -> None:
    check(
        "inline",
        "while (invoke<f32> clampf(x[0:i32]) > 1.0:f32) { x[0:i32] = (x[0:i32] - 1.0:f32) }",
        """while true {
        var v: f32 = x[0:i32]
        var clampf_result: f32
        if (v < 0.0:f32) {
        clampf_result = 0.0:f32
        }
        else {
        clampf_result = v
        }
        if (! (clampf_result > 1.0:f32)) {
        break
        }
        x[0:i32] = (x[0:i32] - 1.0:f32)
        }""",
        P,
        CLAMP,
    )


def test_recursion_is_refused() -> None:
    fib = """function pure fib "fib" (m: i32) -> i32 mangled "" {
      if (m < 2:i32) { return m }
      return (invoke<i32> fib((m - 1:i32)) + invoke<i32> fib((m - 2:i32)))
    }"""
    module = module_of("var r: i32 = invoke<i32> fib(n)", P, fib)
    with pytest.raises(Refused) as refused:
        apply("inline", module)
    assert refused.value.diagnostic.code.id == "CM3004"


def test_intrinsics_stay() -> None:
    unchanged("inline", "x[0:i32] = call<f32> sqrtf(x[1:i32])", P, SQUARE)


def test_a_parameter_whose_address_is_taken_stays_a_variable() -> None:
    check(
        "inline",
        "x[0:i32] = invoke<f32> kept(2.0:f32)",
        """var v: f32 = 2.0:f32
        x[0:i32] = v""",
        P,
        'function pure read "read" (p: ptr<local, f32>) -> f32 mangled "" { return p[0:i32] }\n'
        'function pure kept "kept" (v: f32) -> f32 mangled "" { return invoke<f32> read(addr<ptr<local, f32>>(v)) }',
    )


def test_what_threads_exchange_is_computed_before() -> None:
    check(
        "inline",
        "collective o: f32 = shfl_down(4294967295:u32, invoke<f32> clampf(x[0:i32]), 1:u32, 32:i32)",
        """var v: f32 = x[0:i32]
        var clampf_result: f32
        if (v < 0.0:f32) {
        clampf_result = 0.0:f32
        }
        else {
        clampf_result = v
        }
        collective o: f32 = shfl_down(4294967295:u32, clampf_result, 1:u32, 32:i32)""",
        P,
        CLAMP,
    )
    check(
        "inline",
        "effect assert((invoke<f32> sq(x[1:i32]) < 4.0:f32))",
        """var v: f32 = x[1:i32]
        effect assert(((v * v) < 4.0:f32))""",
        P,
        SQUARE,
    )
