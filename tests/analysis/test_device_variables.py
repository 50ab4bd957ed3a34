"""Which device variables a kernel uses."""

from __future__ import annotations

from migrate.analysis.device_variables import device_variables
from migrate.ir.parser import parse_module

TEXT = """module "m"
global var total: i32
global var unused: i32
constant var coef: array<f32, 4>
function pure f "f" (n: i32) -> f32 mangled "" { return coef[n] }
kernel writes "writes" (x: ptr<global, f32>, n: i32) mangled "" qualified "" bounds 0 {
  total = n
  x[n] = 1.0:f32
}
kernel calls "calls" (x: ptr<global, f32>, n: i32) mangled "" qualified "" bounds 0 {
  x[n] = invoke<f32> f(n)
}
"""


def test_written_variables_and_those_of_called_functions_count() -> None:
    module = parse_module(TEXT)
    found = {k.symbol: device_variables(k, module) for k in module.kernels}
    assert found == {"writes": {"total"}, "calls": {"coef"}}
