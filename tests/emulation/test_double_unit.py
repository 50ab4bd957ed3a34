"""Software doubles by the double unit: the same bits, NaNs among them, and changed texts left."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from migrate.core.resources import data_dir
from migrate.emulation.double_unit import by_double_unit

OWN = (data_dir("templates") / "ascendc" / "float64.h").read_bytes()

# Prints every result of hard operands as bits. NaNs with payloads of both kinds are among them.
PRINTS = r"""
#define __aicore__
#include "float64.h"
#include <cstdio>
#include <random>
static std::mt19937_64 random_bits(7);
static uint64_t hard() {
  static const uint64_t special[] = {0, 1ull << 63, 0x7ffull << 52, 0xfffull << 52, 1, 0x7ff4000000000003ull,
                                     0xfff8000000000005ull, 0x000fffffffffffffull, 0x7fefffffffffffffull};
  const uint64_t r = random_bits();
  switch (random_bits() % 4) {
    case 0: return r;
    case 1: return (r & 0x800fffffffffffffull) | ((983 + r % 80) << 52);
    case 2: return r & (0x800fffffffffffffull << (r % 50));
    default: return special[r % 9];
  }
}
int main() {
  uint64_t all = 0, nans = 0;
  for (int i = 0; i < 400000; ++i) {
    const Float64 a = float64::literal(hard()), b = float64::literal(hard());
    const Float64 c = i % 5 == 0 ? -(a * b) : i % 7 == 0 ? a : float64::literal(hard());
    const Float64 near = float64::literal(a.bits ^ (random_bits() % 8) ^ (uint64_t)(i % 2) << 63);
    for (Float64 x : {a + b, a - b, a + near, a - near, a * b, a / b, float64::sqrt(a), float64::fma(a, b, c)}) {
      all = (all ^ x.bits) * 0x9e3779b97f4a7c15ull + (all >> 29);
      nans += float64::is_nan(x);
      if (i < 20000) std::printf("%016llx\n", (unsigned long long)x.bits);
    }
  }
  std::printf("%016llx %llu\n", (unsigned long long)all, (unsigned long long)nans);
}
"""


def test_a_changed_text_is_left_alone() -> None:
    changed = OWN.replace(b"kept & 1", b"kept & 3")
    assert by_double_unit(changed) == changed
    assert by_double_unit(OWN) != OWN


def test_every_routine_asks_the_unit_first_and_keeps_its_software_form() -> None:
    text = by_double_unit(OWN).decode()
    assert text.count("if (unit == unit) return") == 5
    for number in range(5):
        assert text.count(f"by_software_{number}(") == 3  # declared, called, defined


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_unit_and_software_leave_the_same_bits(tmp_path: Path, level: str) -> None:
    printed: list[str] = []
    for name, text in (("software", OWN), ("unit", by_double_unit(OWN))):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "float64.h").write_bytes(text)
        (folder / "check.cpp").write_text(PRINTS)
        flags = ["-std=c++17", level, "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
        command = ["g++", *flags, "check.cpp", "-o", "check"]
        made = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
        assert made.returncode == 0, made.stderr
        done = subprocess.run(
            [str(folder / "check")], capture_output=True, text=True, timeout=120, check=True
        )
        printed.append(done.stdout)
    assert int(printed[0].split()[-1]) > 1000
    assert printed[0] == printed[1]
