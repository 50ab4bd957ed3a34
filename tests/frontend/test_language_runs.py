"""The language's constructs, read and printed back, run like the original.

One file holds a kernel for each construct; the original and the file in which every kernel's body
is what the IR says are built once each and must print the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from migrate.backends.cuda.unit_text import replace_bodies
from migrate.core.edits import apply_edits
from migrate.emulation.cuda_program import CudaSources, build_cuda_program, run_program
from migrate.emulation.toolchain import find_compiler
from migrate.frontend.program import FrontendOptions, read_unit
from migrate.ir.parser import parse_module
from migrate.ir.printer import print_module
from migrate.ir.program import SourceUnit
from tests.frontend.conftest import needs_gxx

SOURCE = Path(__file__).parent / "sources" / "language.cu"
MAIN = """
static int ints[64];
static float floats[64];
static void fill(int* o, float* a) {
  for (int i = 0; i < 64; i++) { ints[i] = (i * 7) % 5; floats[i] = i * 0.75f - 3; }
  cudaMemcpy(o, ints, sizeof(ints), cudaMemcpyHostToDevice);
  cudaMemcpy(a, floats, sizeof(floats), cudaMemcpyHostToDevice);
}
static void show(const char* name, int n, int* o, float* a) {
  cudaDeviceSynchronize();
  cudaMemcpy(ints, o, sizeof(ints), cudaMemcpyDeviceToHost);
  cudaMemcpy(floats, a, sizeof(floats), cudaMemcpyDeviceToHost);
  printf("%s %d:", name, n);
  for (int i = 0; i < 64; i++) { int bits; memcpy(&bits, &floats[i], 4); printf(" %d %08x", ints[i], bits); }
  printf("\\n");
}
int main() {
  int* o;
  float* a;
  cudaMalloc(&o, sizeof(ints));
  cudaMalloc(&a, sizeof(floats));
  for (int n = 0; n < 7; n += 2) {
CALLS
  }
  return 0;
}
"""


@dataclass(frozen=True)
class Runs:
    """What was read, the kernels, and what both programs printed, by line."""

    unit: SourceUnit
    names: tuple[str, ...]
    left: tuple[tuple[str, str], ...]
    original: tuple[str, ...]
    printed: tuple[str, ...]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, cache_dir: Path) -> Runs:
    folder = tmp_path_factory.mktemp("language")
    text = SOURCE.read_text()
    names = tuple(re.findall(r"^__global__ void (\w+)\(int\* o, float\* a, int n\)", text, re.M))
    call = '    fill(o, a); NAME<<<1, 32>>>(o, a, n); show("NAME", n, o, a);'
    original = folder / "language.cu"
    original.write_text(
        text + MAIN.replace("CALLS", "\n".join(call.replace("NAME", n) for n in names))
    )
    unit = read_unit(original, folder, FrontendOptions(cache_dir=cache_dir))
    replaced = replace_bodies(unit, unit.main, "as_read")
    printed = folder / "printed.cu"
    printed.write_bytes(apply_edits(unit.main.text, replaced.edits).text)
    lines: list[tuple[str, ...]] = []
    for path in (original, printed):
        sources = CudaSources((path,), flags=("-O0",))
        built = build_cuda_program(sources, folder / path.stem, find_compiler(None), cache_dir)
        result = run_program(built)
        assert result.exit == 0, result.stderr
        lines.append(tuple(result.stdout.splitlines()))
    return Runs(unit, names, replaced.left, lines[0], lines[1])


@needs_gxx
@pytest.mark.slow
def test_every_construct_is_read(runs: Runs) -> None:
    assert [u.diagnostic.one_line() for u in runs.unit.unread] == []
    assert runs.left == ()
    assert len(runs.names) == len(runs.unit.module.kernels) > 10


@needs_gxx
@pytest.mark.slow
def test_printed_kernels_do_what_the_original_does(runs: Runs) -> None:
    assert len(runs.original) == 4 * len(runs.names)
    different = [x for x, y in zip(runs.original, runs.printed, strict=True) if x != y]
    assert different == []


@needs_gxx
@pytest.mark.slow
def test_text_of_every_construct_parses_back(runs: Runs) -> None:
    assert parse_module(print_module(runs.unit.module)) == runs.unit.module
