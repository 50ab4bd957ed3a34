"""Bytes outside of reported edits are those of the input: line ends, marks, encodings, tabs."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from migrate.core.artifact import GeneratedFile
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.output import write_tree
from migrate.pipeline.run import run_all
from migrate.pipeline.stages import convert
from migrate.pipeline.summary import tree_copies, tree_files
from migrate.report.build import ProgramResult, program_row
from migrate.rules.catalogue import load_catalogue

SOURCE = """#include <cstdio>
// {note} kernel
#define CHECK(call) \\
\tdo {{ if ((call) != cudaSuccess) {{ std::printf("%s\\n", "cudaFree {note}"); }} }} while (0)

__global__ void scale_{id}(float* x, float a, int n) {{
\tint i = blockIdx.x * blockDim.x + threadIdx.x;
\tif (i < n) x[i] *= a; // {note}
}}

/* {note}: scale<<<1, 1>>>(x) and cudaMalloc(p, 4) in words */
static const char* text = "cudaMalloc scale<<<1>>> {note}";

void run_{id}(float* host, int n) {{
\tfloat* d = nullptr;   \t
\tCHECK(cudaMalloc(&d, n * sizeof(float))); // {note}
\tCHECK(cudaMemcpy(d, host, n * sizeof(float), cudaMemcpyHostToDevice));
\tscale_{id}<<<(n + 127) / 128, 128>>>(d, 2.0f, n);  /* {note} */
\tCHECK(cudaMemcpy(host, d, n * sizeof(float), cudaMemcpyDeviceToHost));
\tcudaFree(d);
}}
// {note}"""
PLAIN = "// {note}\nint plain_{id}(int x)\n{{\n\treturn x << 3; // {note}\n}}"
NOTES = (b"plain words", "核函数 é".encode(), "核函数乘法".encode("gbk"), b"\xe9t\xe9 latin")
VARIANTS = tuple(itertools.product((b"\n", b"\r\n"), (b"", b"\xef\xbb\xbf"), NOTES, (b"", b"\n")))


def _text(source: str, number: int, variant: tuple[bytes, bytes, bytes, bytes]) -> bytes:
    newline, mark, note, final = variant
    text = source.replace("{note}", "\0").format(id=number).encode()
    return mark + text.replace(b"\0", note).replace(b"\n", newline) + final.replace(b"\n", newline)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifty files: 32 with CUDA in every variant, 18 without."""
    root = tmp_path_factory.mktemp("variants")
    for i, variant in enumerate(VARIANTS):
        (root / f"cuda_{i}.cu").write_bytes(_text(SOURCE, i, variant))
    for i, variant in enumerate(VARIANTS[:18]):
        (root / f"plain_{i}.cu").write_bytes(_text(PLAIN, i, variant))
    return root


@pytest.fixture(scope="module")
def files(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, GeneratedFile]:
    options = Options(Target.ASCEND_910B, cache_dir=tmp_path_factory.mktemp("prelude"), run=False)
    (program,) = find_inputs((tree,)).programs
    conversion = convert(program, options, load_catalogue())
    assert not conversion.artifact.refused
    return {Path(f.origin).name: f for f in conversion.artifact.files if f.origin is not None}


def test_only_reported_edits_change_bytes(tree: Path, files: dict[str, GeneratedFile]) -> None:
    for path in sorted(tree.iterdir()):
        source, made = path.read_bytes(), files[path.name]
        at = done = 0
        for edit in made.edits:
            kept = source[at : edit.span.start]
            assert made.content[done : done + len(kept)] == kept, path.name
            at, done = edit.span.end, done + len(kept) + edit.length
        assert made.content[done:] == source[at:], path.name


def test_notes_and_strings_survive(tree: Path, files: dict[str, GeneratedFile]) -> None:
    for i, (newline, mark, note, final) in enumerate(VARIANTS):
        source = (tree / f"cuda_{i}.cu").read_bytes()
        content = files[f"cuda_{i}.cu"].content
        assert content.startswith(mark) and content.endswith(
            b"// " + note + final.replace(b"\n", newline)
        )
        assert b"/* " + note + b": scale<<<1, 1>>>(x) and cudaMalloc(p, 4) in words */" in content
        assert b'"cudaMalloc scale<<<1>>> ' + note + b'"' in content
        assert source.count(note) - content.count(note) <= 1, "only the kernel's own is rewritten"
        assert b"\tfloat* d = nullptr;   \t" + newline in content
        bare = content.replace(b"\r\n", b"").count(b"\n")
        assert (bare == 0) if newline == b"\r\n" else (b"\r" not in content)


def test_files_without_cuda_are_identical(tree: Path, files: dict[str, GeneratedFile]) -> None:
    for path in sorted(tree.glob("plain_*.cu")):
        assert files[path.name].content == path.read_bytes()
        assert files[path.name].edits == ()


MADE = {
    Target.ASCEND_910B: {"src/cuda.asc"},
    # The module, and what a C++ program needs that launches its kernels.
    Target.TILELANG: {
        "src/cuda.py", "src/cuda.cu", "src/cuda_kernels.h", "src/cuda_kernels.json",
        "build_kernels.py", "cudamigrate_tilelang.h",
    },
}  # fmt: skip


@pytest.mark.parametrize("target", [Target.ASCEND_910B, Target.TILELANG])
def test_a_tree_comes_out_whole(tmp_path: Path, target: Target) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    layout = {
        "README.md": b"words\r\n",
        "data/table.bin": bytes(range(256)),
        "lib/plain.cpp": _text(PLAIN, 1, VARIANTS[12]),
        "lib/plain.hpp": b"#pragma once\r\nint plain_1(int);",
        "src/cuda.cu": _text(SOURCE, 1, VARIANTS[0]),
    }
    for name, content in layout.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(content)
    inputs = find_inputs((source,), out=out)
    options = Options(target, cache_dir=tmp_path / "cache", run=False, jobs=1)
    runs = run_all(inputs.programs, options, load_catalogue())
    write_tree(out, tree_files(runs), force=False, copies=tree_copies(runs, inputs))
    made = {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert set(made) == ({*layout} - {"src/cuda.cu"}) | MADE[target]
    kept = {n: c for n, c in layout.items() if n != "src/cuda.cu"}
    assert {n: made[n] for n in kept} == kept


@pytest.mark.parametrize("target", [Target.ASCEND_910B, Target.TILELANG])
def test_a_tree_without_cuda_comes_out_identical(tmp_path: Path, target: Target) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    for i, variant in enumerate(VARIANTS[:8]):
        path = source / f"d{i}" / f"plain_{i}.cpp"
        path.parent.mkdir(parents=True)
        path.write_bytes(_text(PLAIN, i, variant))
    inputs = find_inputs((source,), out=out)
    options = Options(target, cache_dir=tmp_path / "cache", run=False, jobs=1)
    runs = run_all(inputs.programs, options, load_catalogue())
    write_tree(out, tree_files(runs), force=False, copies=tree_copies(runs, inputs))
    before = {p.relative_to(source): p.read_bytes() for p in source.rglob("*") if p.is_file()}
    after = {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert after == before
    assert [d.code.id for d in inputs.diagnostics] == ["CM0008"]


def test_the_report_lists_edits_and_macro_bodies(tmp_path: Path) -> None:
    path = tmp_path / "one.cu"
    path.write_bytes(
        _text(SOURCE.replace("\tcudaFree", "\tFREE"), 0, VARIANTS[0]).replace(
            b"\nvoid run", b"\n#define FREE(p) cudaFree(p)\nvoid run"
        )
    )
    (program,) = find_inputs((path,)).programs
    options = Options(Target.ASCEND_910B, cache_dir=tmp_path / "cache", run=False, jobs=1)
    (run,) = run_all((program,), options, load_catalogue())
    row = program_row(
        ProgramResult(
            "one",
            run.conversion.program,
            run.conversion.artifact,
            run.proof.kernels,
            run.proof.runs,
        )
    )
    (file,) = row.edited
    assert (file.file, file.generated_file) == (str(path), "one.asc")
    source = path.read_bytes()
    edited = [source[e.start : e.end] for e in file.edits]
    assert any(text.startswith(b"__global__ void scale_0") for text in edited)
    macros = [d.cause for d in row.diagnostics if d.code == "CM1031"]
    assert "FREE: 1 use in this file" in macros
