"""A unit from the cache is the unit that was read, and any change of what was read is seen."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.compile_settings import CompileSettings
from migrate.frontend.program import FrontendOptions, read_unit
from migrate.ir.program import SourceUnit
from migrate.ir.store import NotStorable, dump, load
from tests.frontend.test_pytorch import EXTENSION

TEXT = """
#include "value.h"
#if __has_include("later.h")
#include "later.h"
#endif
#include <chosen.h>
#ifndef FACTOR
#define FACTOR 2
#endif
enum class Mode { A = 3, B };
struct P { float x; int t[4]; };
__constant__ P table = {0.5f, {1, 2, 3, 4}};
__device__ __forceinline__ float twice(float v) { return FACTOR * v; }
template <int N, class T> __global__ void k(T* x, const P* p, Mode m) {
  __shared__ T s[N];
  s[threadIdx.x] = x[threadIdx.x];  // a note
  __syncthreads();
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  for (int i = 0; i < N; ++i) { switch ((int)m) { case 3: x[i] += twice(s[i]); break; default: atomicAdd(&x[i], table.x); } }
  do { x[0] -= VALUE + CHOSEN; } while (x[0] > 1e30f && p->t[1] != 0x7fffffff);
}
__global__ void refused() { asm volatile("wgmma.fence.sync.aligned;"); }
void run(float* x, P* p) {
  k<32><<<dim3(1, 2), 32, 0, 0>>>(x, p, Mode::A);
  if (cudaDeviceSynchronize() != cudaSuccess) cudaFree(x);
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "unit.cu": TEXT, "value.h": "#define VALUE 1\n", "inc/chosen.h": "#define CHOSEN 2\n",
    }.items():  # fmt: skip
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "src" / "first").mkdir()
    return tmp_path / "src"


def _options(folder: Path, cache_dir: Path) -> FrontendOptions:
    dirs = (folder / "first", folder / "inc")
    return FrontendOptions(cache_dir=cache_dir, reuse=True, settings=CompileSettings(dirs))


def _read(folder: Path, options: FrontendOptions) -> SourceUnit:
    return read_unit(folder / "unit.cu", folder, options)


def test_the_store_is_exact(folder: Path, cache_dir: Path) -> None:
    unit = _read(folder, replace(_options(folder, cache_dir), reuse=False))
    assert [k.name for k in unit.module.kernels] == ["k"]
    again = load(dump(unit))
    assert again == unit
    assert dump(again) == dump(unit), "spans, which equality leaves out, are the same as well"


def test_a_second_reading_is_the_first(folder: Path, cache_dir: Path) -> None:
    options = _options(folder, cache_dir)
    first = _read(folder, options)
    started = time.perf_counter()
    second = _read(folder, options)
    assert time.perf_counter() - started < 2.0
    assert dump(second) == dump(first)
    assert dump(second) == dump(_read(folder, replace(options, reuse=False)))
    assert second is not first


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("unit.cu", TEXT.replace("FACTOR * v", "3 * v")),
        ("value.h", "#define VALUE 7\n"),
        ("inc/chosen.h", "#define CHOSEN 7\n"),
        ("first/chosen.h", "#define CHOSEN 7\n"),
        ("later.h", "#undef VALUE\n#define VALUE 7\n"),
    ],
)
def test_a_change_is_seen(folder: Path, cache_dir: Path, name: str, text: str) -> None:
    options = _options(folder, cache_dir)
    before = dump(_read(folder, options).module)
    (folder / name).write_text(text)
    after = dump(_read(folder, options).module)
    assert after != before
    assert after == dump(_read(folder, replace(options, reuse=False)).module)


def test_options_are_part_of_the_key(folder: Path, cache_dir: Path) -> None:
    options = _options(folder, cache_dir)
    before = dump(_read(folder, options).module)
    for other in (
        replace(options, defines=("FACTOR=9",)),
        replace(options, settings=CompileSettings((folder / "inc",), defines=("FACTOR=8",))),
    ):
        after = dump(_read(folder, other).module)
        assert after != before
        assert after == dump(_read(folder, replace(other, reuse=False)).module)


def test_damaged_entries_are_read_anew(folder: Path, cache_dir: Path) -> None:
    options = _options(folder, cache_dir)
    first = dump(_read(folder, options))
    for entry in (cache_dir / "units").iterdir():
        entry.write_text(entry.read_text()[:-40])
    assert dump(_read(folder, options)) == first


@pytest.mark.parametrize("text", ["", "{}", "[]", '[["builtins.eval"],[],[0,"1"]]', "[[],[],[-9]]"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(NotStorable):
        load(text)


def test_what_is_no_part_of_the_model_is_refused() -> None:
    with pytest.raises(NotStorable):
        dump({"a": 1})


def test_an_extension_is_stored(tmp_path: Path, cache_dir: Path) -> None:
    path = tmp_path / "extension.cu"
    path.write_text(EXTENSION)
    options = FrontendOptions(cache_dir=cache_dir, reuse=True)
    first, second = (read_unit(path, tmp_path, options) for _ in range(2))
    assert dump(first) == dump(second)
    assert len(second.module.kernels) == 5
