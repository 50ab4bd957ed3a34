"""Runs of an unchanged original come from the cache, and anything that changes makes a new one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.codes import verification
from migrate.core.content_store import ContentStore, DamagedEntry, digest
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.emulation.cuda_program import BuiltProgram, CudaSources, build_cuda_program
from migrate.emulation.toolchain import Compiler
from migrate.pipeline import original as original_module
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.oracle import Oracle, run_oracle
from migrate.pipeline.original import program_key
from migrate.pipeline.stages import read

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """
#include <cstdio>
#include "scale.h"
__global__ void k(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = SCALE * x[i]; }
int main() {
  float h[40], *x, *y;
  for (int i = 0; i < 40; ++i) h[i] = i;
  cudaMalloc(&x, sizeof h); cudaMalloc(&y, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  k<<<1, 64>>>(x, y, 37);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  printf("%s\\n", h[36] == 36 * SCALE ? "PASS" : "FAIL");
  return h[36] != 36 * SCALE;
}
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache without runs, with the compiled runtime of earlier tests."""
    folder = tmp_path / "cache"
    folder.mkdir()
    for name in ("objects", "pch"):
        kept = ROOT / "build" / "cache" / name
        kept.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(kept)
    return folder


def _contents(oracle: Oracle) -> tuple[object, ...]:
    """All of an oracle but the place where its capture lies."""
    assert oracle.capture is not None
    blobs = oracle.capture.directory / "blobs"
    return (
        replace(oracle, capture=None),
        oracle.capture.launches,
        sorted((p.name, p.read_bytes()) for p in blobs.iterdir()),
    )


def test_a_hit_is_the_same_oracle(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "k.cu").write_text(SOURCE)
    (folder / "scale.h").write_text("#define SCALE 2.0f\n")
    (program,) = find_programs((folder / "k.cu",))
    options = Options(Target.TILELANG, cache_dir=cache)
    builds: list[Path] = []

    def counting(
        sources: CudaSources, work: Path, compiler: Compiler, kept: Path | None
    ) -> BuiltProgram:
        builds.append(work)
        return build_cuda_program(sources, work, compiler, kept)

    monkeypatch.setattr(f"{original_module.__name__}.build_cuda_program", counting)

    def run(name: str, how: Options = options) -> Oracle:
        return run_oracle(program, how, tmp_path / name)

    first = run("first")
    assert (first.original, first.control, len(builds)) == ("pass", "fail", 1)
    assert _contents(run("second")) == _contents(first)
    assert len(builds) == 1
    assert _contents(run("forced", replace(options, reuse_runs=False))) == _contents(first)
    assert len(builds) == 2

    for entry in (cache / "runs").glob("*/*.entry"):
        entry.write_bytes(entry.read_bytes()[:-1])
    damaged = run("damaged")
    codes = [d.code for d in damaged.diagnostics]
    assert codes == [verification.STORED_RUN_DAMAGED] * 2  # the captured run and the control
    assert _contents(replace(damaged, diagnostics=()))[1:] == _contents(first)[1:]
    assert _contents(run("mended")) == _contents(first)
    assert len(builds) == 3

    (folder / "scale.h").write_text("#define SCALE 4.0f\n")
    changed = run("changed")
    assert len(builds) == 4
    assert _contents(changed)[2] != _contents(first)[2]


COMPILER = Compiler("g++", "gcc", "g++ 12")


def _header(folder: Path, sources: CudaSources) -> CudaSources:
    (folder / "scale.h").write_text("#define SCALE 3\n")
    return sources


def _data(folder: Path, sources: CudaSources) -> CudaSources:
    (folder / "data").mkdir()
    (folder / "data" / "mesh.bin").write_bytes(b"\0\1")
    return sources


@pytest.mark.parametrize(
    "change",
    [
        _header,
        _data,
        lambda _, s: replace(s, defines=("N=1",)),
        lambda _, s: replace(s, std="c++20"),
        lambda _, s: replace(s, flags=("-O3",)),
    ],
)
def test_what_changes_the_key(
    tmp_path: Path, change: Callable[[Path, CudaSources], CudaSources]
) -> None:
    (tmp_path / "k.cu").write_text('#include "scale.h"\n')
    (tmp_path / "scale.h").write_text("#define SCALE 2\n")
    sources = CudaSources((tmp_path / "k.cu",))
    key = program_key(sources, COMPILER, ("5",))
    assert key is not None
    assert program_key(sources, COMPILER, ("5",)) == key
    assert program_key(sources, COMPILER, ("6",)) not in (None, key)
    assert program_key(sources, replace(COMPILER, version="g++ 13"), ("5",)) not in (None, key)
    assert program_key(change(tmp_path, sources), COMPILER, ("5",)) not in (None, key)


def test_files_outside_the_folder_that_decide(tmp_path: Path) -> None:
    """A header reached by ``../`` and a file that an argument names."""
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "k.cu").write_text('#include "../shared.h"\n')
    (tmp_path / "shared.h").write_text("int a;\n")
    sources = CudaSources((folder / "k.cu",))
    table = tmp_path / "table.txt"
    table.write_text("1")
    keys = [program_key(sources, COMPILER, (str(table),))]
    (tmp_path / "shared.h").write_text("int b;\n")
    keys.append(program_key(sources, COMPILER, (str(table),)))
    table.write_text("2")
    keys.append(program_key(sources, COMPILER, (str(table),)))
    assert len({k for k in keys if k is not None}) == 3


def test_a_changed_runtime_header_changes_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "k.cu").write_text("int main() {}\n")
    sources = CudaSources((tmp_path / "k.cu",))
    runtime = tmp_path / "package" / "include"
    runtime.mkdir(parents=True)
    keys: list[str | None] = []
    with monkeypatch.context() as patch:
        patch.setattr(original_module, "include_dir", lambda: runtime)
        for text in ("// one", "// two"):
            (runtime / "runtime.h").write_text(text)
            original_module._emulation_part.cache_clear()
            keys.append(program_key(sources, COMPILER, ()))
    original_module._emulation_part.cache_clear()
    assert len({k for k in keys if k is not None}) == 2


def test_too_many_files_to_look_a_run_up(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("int main() {}\n")
    for number in range(2001):
        (tmp_path / f"{number}.txt").touch()
    assert program_key(CudaSources((tmp_path / "k.cu",)), COMPILER, ()) is None


def test_those_used_longest_ago_go_first(tmp_path: Path) -> None:
    store = ContentStore(tmp_path, 1000)
    keys = [digest(bytes([n])) for n in range(5)]
    for key in keys[:4]:
        store.save(key, key.encode() * 2)
    store.save(digest(b"large"), bytes(251))  # over a quarter of the whole
    assert store.load(digest(b"large")) is None
    for age, key in enumerate((keys[1], keys[0], keys[3], keys[2])):
        entry = tmp_path / key[:2] / f"{key}.entry"
        os.utime(entry, (1e9 - age, 1e9 - age))
    assert store.load(keys[2]) == keys[2].encode() * 2  # used now: the last to go
    store.save(keys[4], b"x" * 200)
    assert [store.load(k) is not None for k in keys] == [True, True, True, False, True]


def test_a_damaged_entry_is_told_once(tmp_path: Path) -> None:
    store = ContentStore(tmp_path, 1 << 20)
    key = digest(b"key")
    assert store.load(key) is None
    store.save(key, b"content")
    entry = tmp_path / key[:2] / f"{key}.entry"
    entry.write_bytes(entry.read_bytes().replace(b"content", b"Content"))
    with pytest.raises(DamagedEntry):
        store.load(key)
    assert store.load(key) is None


def test_parts_of_a_key_are_kept_apart() -> None:
    assert digest(b"ab", b"c") != digest(b"a", b"bc")


SLOW = """
#include <cstdio>
__global__ void k(float* x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    float v = s[(t + 1) % 256];
    __syncthreads();
    s[t] = 0.5f * (s[t] + v);
  }
  x[t] = s[t];
}
int main() {
  float h[256], *x;
  for (int i = 0; i < 256; ++i) h[i] = i;
  cudaMalloc(&x, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  for (int i = 0; i < 40; ++i) k<<<1, 256>>>(x, 1000);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  printf("PASS %.9g\\n", h[3]);
}
"""


def test_a_slow_original_runs_again_with_loops(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow.cu").write_text(SLOW)
    (program,) = find_programs((tmp_path / "slow.cu",))
    options = Options(Target.TILELANG, cache_dir=cache, fission=False)
    ir = read(program, options)
    stacks = run_oracle(program, options, tmp_path / "stacks", ir)
    monkeypatch.setattr(original_module, "_PATIENCE_SECONDS", 0.02)
    loops = run_oracle(program, replace(options, fission=True), tmp_path / "loops", ir)
    assert (stacks.original, stacks.control) == (loops.original, loops.control) == ("pass", "pass")
    assert stacks.ways == ()
    assert loops.ways == (("_Z1kPfi", "proven"),)
    assert _contents(replace(loops, ways=())) == _contents(stacks)
    again = run_oracle(program, replace(options, fission=True), tmp_path / "again", ir)
    assert _contents(again) == _contents(loops)
