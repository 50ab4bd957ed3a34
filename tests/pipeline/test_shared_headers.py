"""A header that two programs share: one file where both agree, else one version each."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from migrate.core.artifact import GeneratedFile
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.run import ProgramRun, run_all
from migrate.pipeline.shared_files import own_text, shared_tree
from migrate.pipeline.summary import shared_differences, tree_files
from migrate.rules.catalogue import load_catalogue

HEADER = (
    "#pragma once\n"
    "template <class T> __global__ void scale(T* x) { x[threadIdx.x] = x[threadIdx.x] * T(2); }\n"
)
MAIN = (
    '#include "scale.cuh"\nint main() {{ {kind}* x; cudaMalloc(&x, 64); scale<<<1, 16>>>(x); }}\n'
)


def _runs(folder: Path, **kinds: str) -> tuple[ProgramRun, ...]:
    source = folder / "in"
    source.mkdir()
    (source / "scale.cuh").write_text(HEADER)
    for name, kind in kinds.items():
        (source / f"{name}.cu").write_text(MAIN.format(kind=kind))
    options = Options(Target.ASCEND_910B, cache_dir=folder / "cache", run=False, jobs=1)
    return run_all(find_inputs((source,)).programs, options, load_catalogue())


def test_a_second_version_stands_beside_the_first(tmp_path: Path) -> None:
    runs = _runs(tmp_path, one="float", two="int")
    headers = {f.path.name: f.content for f in tree_files(runs) if "scale" in f.path.name}
    assert sorted(headers) == ["scale.cuh", "scale.two.cuh"]
    assert b"(int*)x" in headers["scale.two.cuh"] and b"(float*)x" in headers["scale.cuh"]
    mains = {f.path.name: f for f in tree_files(runs) if f.path.suffix == ".asc"}
    assert b'#include "scale.cuh"' in mains["one.asc"].content
    assert b'#include "scale.two.cuh"' in mains["two.asc"].content
    (found,) = shared_differences(runs)
    assert found.code.id == "CM0054"
    assert found.cause.endswith("scale.cuh is the version of one; that of two is scale.two.cuh")


def test_one_version_for_programs_that_agree(tmp_path: Path) -> None:
    runs = _runs(tmp_path, one="float", two="float")
    assert [f.path.name for f in tree_files(runs) if "scale" in f.path.name] == ["scale.cuh"]
    assert shared_differences(runs) == ()


def _file(path: str, text: str) -> GeneratedFile:
    return GeneratedFile(PurePosixPath(path), text.encode())


def test_a_header_that_includes_another_version_is_another_version_itself() -> None:
    """Both programs have the outer header alike, and its include has to differ."""
    outer = _file("inc/outer.h", '#include "../k/inner.h"\n#include "own.h"\n')
    plain = _file("main.cu", "")
    one = (_file("one.asc", '#include <outer.h>\n#include "inc/outer.h"\n'), outer,
           _file("k/inner.h", "1"), plain)  # fmt: skip
    two = (_file("two.asc", '#include "outer.h"\nconst char* s = "outer.h";\n'), outer,
           _file("k/inner.h", "2"), plain)  # fmt: skip
    tree = shared_tree((("one", one), ("b/two", two)))
    texts = {str(f.path): f.content.decode() for f in tree.files}
    assert texts == {
        "one.asc": one[0].content.decode(),
        "inc/outer.h": outer.content.decode(),
        "k/inner.h": "1",
        "main.cu": "",
        "two.asc": '#include "outer.b-two.h"\nconst char* s = "outer.h";\n',
        "inc/outer.b-two.h": '#include "../k/inner.b-two.h"\n#include "own.h"\n',
        "k/inner.b-two.h": "2",
    }
    assert [(str(m.path), m.owner, m.program) for m in tree.moved] == [
        ("k/inner.h", "one", "b/two"),
        ("inc/outer.h", "one", "b/two"),
    ]


def test_the_changed_include_is_a_reported_edit(tmp_path: Path) -> None:
    runs = _runs(tmp_path, one="float", two="int")
    (main,) = (f for f in tree_files(runs) if f.path.name == "two.asc")
    text = (tmp_path / "in" / "two.cu").read_bytes()
    (edit,) = (e for e in main.edits if text[e.span.start : e.span.end] == b"scale.cuh")
    assert edit.length == len(b"scale.two.cuh")
    assert [e.span.start for e in main.edits] == sorted(e.span.start for e in main.edits)


def test_a_program_is_proven_again_with_its_own_version() -> None:
    files = (_file("two.asc", '#include "scale.cuh"\n'), _file("scale.cuh", "2"))
    tree = shared_tree((("one", (_file("scale.cuh", "1"),)), ("two", files)))
    texts = {f.path: f.content for f in tree.files}
    places = tuple(f.path for f in files)
    for file in files:
        assert own_text(file.path, "two", places, texts.get) == file.content
    assert own_text(PurePosixPath("scale.cuh"), "one", places, texts.get) == b"1"
    assert own_text(PurePosixPath("gone.h"), "one", places, texts.get) is None
